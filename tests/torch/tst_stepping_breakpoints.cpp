// Breakpoints of calls with real numbers: every kind stops where it says, forward and back.
#include "stepped_function.h"
#include "stepping_support.h"

#include "support/corpus_case.h"

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

std::string stopText(const StepPause& pause) {
    const auto& events = pause.record->events;
    if (pause.next == events.size()) {
        return "the end";
    }
    const steps::CallEvent& event = events[pause.next];
    return std::string(eventKindName(event.kind)) + " " + event.title;
}

} // namespace

TEST_CASE("print") {
    SteppedFunction stepped = twoLayers();
    stepped.call([&](const StepPause& pause, std::size_t) {
        if (pause.next > 0) {
            const auto& f = (*pause.facts)[pause.next - 1];
            printf("   nan %d inf %d largest %g shape %d mutated %s alive %d\n", int(f.nanCount),
                   int(f.infCount), f.largest, f.shapeChanged, f.mutated.empty() ? "" : f.mutated[0].c_str(),
                   int(f.aliveBytes));
        }
        printf("%d %s\n", int(pause.next), stopText(pause).c_str());
        return StepAnswer{pause.next == pause.record->events.size() ? StepAnswer::Kind::Resume
                                                                    : StepAnswer::Kind::Into};
    });
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
