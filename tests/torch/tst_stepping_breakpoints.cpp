// Breakpoints of calls with real numbers: every kind stops where it says, forward and back.
#include "stepped_function.h"
#include "stepping_support.h"

#include "support/corpus_case.h"

#include "ir/graph_builder.h"

#include <algorithm>
#include <limits>

using namespace aotscope;
using steps::StepAnswer;
using steps::StepBreakpoint;
using steps::StepPause;
using test::SteppedCall;
using test::SteppedFunction;
using test::StoodState;

namespace {

/// A training step of two layers; the first input is the batch, and `seen` is written to.
SteppedFunction twoLayers() {
    return SteppedFunction(test::compiled(R"(x: "f32[2, 3][3, 1]cpu", w: "f32[3, 4][4, 1]cpu", )"
                                          R"(seen: "f32[4][1]cpu")",
                                          R"(
        # File: /net/model.py:41 in forward, code: hidden = x @ w
        hidden = x @ w
        # File: /net/model.py:42 in forward, code: grown = torch.exp(hidden)
        grown = torch.exp(hidden)
        # File: /net/model.py:43 in forward, code: root = torch.log(grown - 1)
        less = grown - 1
        root = torch.log(less)
        # File: /net/model.py:44 in forward, code: seen.add_(grown.sum(0))
        detached = grown.detach()
        total = detached.sum(0)
        add_ = seen.add_(total)
        # File: /net/model.py:45 in forward, code: return root * 2
        twice = root * 2
        return (twice,)
)",
                                          {test::plain(), test::leaf(), test::plain()}));
}

/// Its numbers: exp overflows, log of -0.63 is none.
void giveNumbers(SteppedFunction& stepped) {
    stepped.compiled.request.options.inputs = {
        {"x", test::floats({2, 3}, {1, 0, 0, 0, 1, 0})},
        {"w", test::floats({3, 4}, {0, 1, 100, -1, 2, 3, 4, 5, 0, 0, 0, 0})}};
}

/// Has the forward graph say another size of a node than it makes.
void misstateSize(aot::CompiledFunction& function, std::string_view name) {
    auto partition = std::make_shared<passes::Partition>(*function.partition);
    const std::optional<ir::NodeId> node = partition->forward->tryFind(name);
    REQUIRE(node);
    ir::GraphBuilder graph(*partition->forward);
    std::get<ir::TensorMeta>(graph.editMeta(*node).value).shape = {5};
    partition->forward = graph.finish();
    function.partition = std::move(partition);
}

/// "forward node mm": the event before which it stands.
std::string eventText(const StepPause& pause) {
    const auto& events = pause.record->events;
    return pause.next == events.size()
               ? "the end"
               : std::string(base::wordOf(events[pause.next].kind)) + " " + events[pause.next].title;
}

/// Where a call stops at a breakpoint from the start to the end. On the way back it stops at the same places.
std::vector<std::string> stopsAt(SteppedFunction& stepped, const std::string& spec) {
    const StepBreakpoint breakpoint = StepBreakpoint::parse(spec).value();
    stepped.pauses.breakpoints = {breakpoint};
    std::vector<std::string> stops;
    std::vector<std::string> back;
    bool returns = false;
    stepped.call([&](const StepPause& pause, std::size_t count) {
        const bool ended = pause.next == pause.record->events.size();
        if (pause.next == 0) {
            return count == 1 ? StepAnswer{StepAnswer::Kind::Resume}
                              : StepAnswer{StepAnswer::Kind::RunTo, pause.record->events.size()};
        }
        if (ended && std::exchange(returns, true)) {
            return StepAnswer{StepAnswer::Kind::Resume};
        }
        if (!ended) {
            CHECK(pause.reason == "breakpoint " + breakpoint.toText());
            (returns ? back : stops).push_back(eventText(pause));
        }
        return StepAnswer{returns ? StepAnswer::Kind::ResumeBack : StepAnswer::Kind::Resume};
    });
    std::ranges::reverse(back);
    CHECK_MESSAGE(back == stops, spec);
    return stops;
}

} // namespace

TEST_CASE("every kind of breakpoint stops a call where it says") {
    SteppedFunction stepped = twoLayers();
    giveNumbers(stepped);
    misstateSize(stepped.compiled.request.function, "sum_1");
    const struct {
        const char* breakpoint;
        std::vector<std::string> stops;
    } cases[] = {
        // Where the call begins it stands anyway.
        {"wrapper:RuntimeWrapper", {}},
        {"wrapper:AOTDispatchAutograd",
         {"wrapper entry AOTDispatchAutograd", "wrapper entry AOTDispatchAutograd"}},
        {"node:log", {"forward node log"}},
        {"node:mm_1", {"backward node mm_1"}},
        {"op:aten.mm", {"forward node mm", "backward node mm_1"}},
        {"op:copy_", {"forward node copy_"}},
        // The backward recomputes autograd's detach of what exp saves, which is of its line, too.
        {"model.py:42", {"forward node exp", "backward node detach"}},
        {"/net/model.py:43", {"forward node sub", "backward node sub"}},
        {"other.py:43", {}},
        // Conditions stop behind what meets them: log has the first NaN, exp the first infinity, mm 100.
        {"nan", {"forward node detach_1"}},
        {"inf", {"forward node sub"}},
        {"above:99", {"forward node exp"}},
        {"above:100", {"forward node sub"}},
        {"shape", {"forward node add"}},
        {"mutated:seen", {"saving 2 values"}},
        {"mutated:x", {}},
        // After mul: it, its input, what exp saved, and what is to be written to `seen`.
        {"memory:111B", {"forward node t"}},
        {"memory:1MB", {}},
    };
    for (const auto& [breakpoint, expected] : cases) {
        const std::vector<std::string> stops = stopsAt(stepped, breakpoint);
        std::string text;
        for (const std::string& stop : stops) {
            text += stop + "; ";
        }
        CHECK_MESSAGE(stops == expected, std::string(breakpoint), ": ", text);
    }
}

TEST_CASE("breakpoints stop where they say, forward and back" * test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("mlp_sgd"));
    const auto stops = [&](const std::string& spec) {
        stepped.command.pauseAtStart = false;
        stepped.command.breakpoints = {StepBreakpoint::parse(spec).value()};
        std::vector<std::size_t> forward;
        std::vector<std::size_t> back;
        bool turned = false;
        const auto called = stepped.call([&](const StepPause& pause, std::size_t /*count*/) {
            const bool ended = pause.next == pause.record->events.size();
            turned = turned || ended;
            if (!turned) {
                CHECK(pause.reason == "breakpoint " + StepBreakpoint::parse(spec)->toText());
                forward.push_back(pause.next);
                return StepAnswer{StepAnswer::Kind::Resume};
            }
            if (!ended) {
                back.insert(back.begin(), pause.next);
            }
            if (pause.next == 0) {
                StepAnswer finish{StepAnswer::Kind::Resume};
                finish.breakpoints.emplace();
                return finish;
            }
            return StepAnswer{ended && !back.empty() ? StepAnswer::Kind::Resume
                                                     : StepAnswer::Kind::ResumeBack};
        });
        REQUIRE(called);
        if (!back.empty() && back.front() == 0 && (forward.empty() || forward.front() != 0)) {
            back.erase(back.begin()); // The start.
        }
        CHECK_MESSAGE(forward == back, spec);
        return forward;
    };
    std::vector<steps::CallEvent> events;
    const auto pauses = stepped.obey({"resume"});
    events = pauses.back().record->events;
    const auto where = [&](auto&& wanted) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (wanted(events[i])) {
                found.push_back(i);
            }
        }
        return found;
    };
    CHECK(stops("op:mm") == where([](const auto& event) { return event.target == "aten.mm.default"; }));
    CHECK_FALSE(stops("op:mm").empty());
    CHECK(stops("op:addmm") == where([](const auto& event) { return event.target == "aten.addmm.default"; }));
    CHECK(stops("node:relu") == where([](const auto& event) { return event.title == "relu"; }));
    CHECK(stops("wrapper:AOTDispatchAutograd") == where([](const auto& event) {
              return event.kind == steps::EventKind::WrapperEntry && event.title == "AOTDispatchAutograd";
          }));
    CHECK(stops("nan").empty());
    CHECK(stops("shape").empty());
    CHECK(stops("mutated:x").empty());
    CHECK(stops("memory:1B").size() == 1);
    CHECK(stops("memory:1TB").empty());
    CHECK(stops("above:1e30").empty());
}

TEST_CASE("a NaN in an input stops the call after the first node that passes it on" * test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("mlp_sgd"));
    const StepPause start = stepped.obey({}).front();
    // The one argument that needs no gradient is the batch.
    const auto batch = std::ranges::find_if(start.values, [](const steps::ValueDetails& value) {
        return value.state.meta && !value.state.meta->requiresGrad.value_or(false);
    });
    REQUIRE(batch != start.values.end());
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    for (const ir::SymInt& size : batch->state.meta->shape) {
        shape.push_back(size.integer());
        count *= size.integer();
    }
    std::vector<float> numbers(static_cast<std::size_t>(count), 0.5F);
    numbers.back() = std::numeric_limits<float>::quiet_NaN();
    stepped.command.call.inputs[batch->state.name] = test::floats(shape, numbers);
    stepped.command.breakpoints = {StepBreakpoint::parse("nan").value()};
    stepped.command.pauseAtStart = false;
    const auto pauses = stepped.obey({"resume", "resume-back"});
    REQUIRE(pauses.size() >= 3);
    CHECK(pauses[0].reason == "breakpoint nan");
    const std::size_t at = pauses[0].next - 1;
    CHECK((*pauses[0].facts)[at].nanCount > 0);
    for (std::size_t before = 0; before < at; ++before) {
        CHECK((*pauses[0].facts)[before].nanCount == 0);
    }
    CHECK(pauses[1].reason == "the end");
    CHECK(pauses[2].next == pauses[0].next);
    CHECK(StoodState(pauses[2]) == StoodState(pauses[0]));
}

TEST_CASE("writes to an argument are events where they happen" * test::needsCorpus()) {
    for (const char* program : {"mut_input_mul", "conv_bn_relu", "mut_input_inference"}) {
        INFO(program);
        SteppedCall stepped(test::goldenFile(program));
        const StepPause end = stepped.obey({"resume"}).back();
        REQUIRE(end.facts->size() == end.record->events.size());
        std::size_t writes = 0;
        for (const steps::EventFacts& facts : *end.facts) {
            writes += facts.mutated.size();
        }
        CHECK(writes >= 1);
        // The breakpoint on what was written stops right behind.
        for (std::size_t i = 0; i < end.facts->size(); ++i) {
            if (!(*end.facts)[i].mutated.empty()) {
                SteppedCall again(test::goldenFile(program));
                again.command.pauseAtStart = false;
                again.command.breakpoints = {
                    StepBreakpoint::parse("mutated:" + (*end.facts)[i].mutated.front()).value()};
                CHECK(again.obey({}).front().next == i + 1);
                break;
            }
        }
    }
}
