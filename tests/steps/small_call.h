#pragma once

#include "steps/step_controller.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::test {

/// The events of a small training step, and what breakpoints look at.
struct SmallCall {
    std::vector<steps::CallEvent> events;
    std::vector<steps::EventFacts> facts;

    SmallCall() {
        using Kind = steps::EventKind;
        add(Kind::WrapperEntry, 0, "RuntimeWrapper");
        add(Kind::WrapperEntry, 1, "AOTDispatchAutograd");
        add(Kind::ForwardNode, 2, "addmm", "aten.addmm.default", 41);
        add(Kind::ForwardNode, 2, "relu", "aten.relu.default", 42);
        add(Kind::ForwardNode, 2, "sum_1", "aten.sum.default", 42);
        add(Kind::Saving, 2, "saving");
        add(Kind::WrapperExit, 1, "AOTDispatchAutograd");
        add(Kind::WrapperExit, 0, "RuntimeWrapper");
        add(Kind::WrapperEntry, 0, "AOTDispatchAutograd");
        add(Kind::BackwardNode, 1, "expand", "aten.expand.default", 42);
        add(Kind::BackwardNode, 1, "mm", "aten.mm.default", 41);
        add(Kind::WrapperExit, 0, "AOTDispatchAutograd");
        add(Kind::GradientAccumulation, 0, "weight");
        facts[3].aliveBytes = 3'000;
        facts[4].nanCount = 2;
        facts[4].largest = 500;
        facts[4].aliveBytes = 5'000;
        facts[7].mutated = {"arg 2"};
        facts[9].nanCount = 7;
        facts[9].infCount = 1;
        facts[9].aliveBytes = 9'000;
        facts[10].shapeChanged = true;
        facts[10].nanCount = 7;
    }

    [[nodiscard]] steps::KnownEvents known() const { return {events, facts, true}; }

    /// As known when the call stands before event `next` and has never been further.
    [[nodiscard]] steps::KnownEvents knownUpTo(std::size_t next) const {
        const std::size_t count = std::min(next + 1, events.size());
        return {std::span(events).first(count), std::span(facts).first(count), next == events.size()};
    }

private:
    void add(steps::EventKind kind, std::size_t depth, std::string title, std::string target = {},
             int line = 0) {
        steps::CallEvent event;
        event.kind = kind;
        event.depth = depth;
        event.title = std::move(title);
        event.target = std::move(target);
        events.push_back(std::move(event));
        steps::EventFacts known;
        if (line != 0) {
            ir::NodeOrigin origin;
            origin.source = ir::SourceLocation{"/net/model.py", line, "forward", ""};
            known.origin = std::make_shared<const ir::NodeOrigin>(std::move(origin));
        }
        facts.push_back(std::move(known));
    }
};

} // namespace aotscope::test
