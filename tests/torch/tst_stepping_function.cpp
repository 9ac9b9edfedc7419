// One function that draws random numbers and writes to its arguments, trained for several steps: every event
// is stepped over forward and back, and every value compared bit for bit with a call that only went forward.
#include "stepped_function.h"
#include "stepping_support.h"

#include <algorithm>
#include <set>

using namespace aotscope;
using steps::EventKind;
using steps::StepAnswer;
using steps::StepPause;
using test::SteppedFunction;
using test::StoodState;

namespace {

/// Two layers with dropout, running means and a counter that are written in place, in a training loop whose
/// optimizer writes to the weights.
SteppedFunction trained(std::size_t calls) {
    SteppedFunction stepped(
        test::compiled(R"(x: "f32[6, 8][8, 1]cpu", w: "f32[8, 16][16, 1]cpu", )"
                       R"(v: "f32[16, 4][4, 1]cpu", mean: "f32[16][1]cpu", )"
                       R"(seen: "i64[][]cpu")",
                       R"(
        add_ = seen.add_(1)
        product = x @ w
        dropped = torch.nn.functional.dropout(product, 0.5, True, False)
        detached = dropped.detach()
        batch = detached.mean(0)
        mul_ = mean.mul_(0.75)
        add__1 = mean.add_(batch)
        centered = dropped - mean
        active = torch.nn.functional.relu(centered)
        again = torch.nn.functional.dropout(active, 0.25, True, False)
        result = again @ v
        shifted = torch.tanh(result)
        return (shifted,)
)",
                       {test::plain(), test::leaf(), test::leaf(), test::plain(), test::plain()}));
    stepped.compiled.request.options.calls = calls;
    stepped.compiled.request.options.learningRate = 0.5;
    return stepped;
}

/// The state before each event, and at the end, of a call that only goes forward.
std::vector<StoodState> forwardStates(SteppedFunction& stepped, steps::CallRecord& record) {
    std::vector<StoodState> states;
    record = stepped.call([&](const StepPause& pause, std::size_t /*count*/) {
        CHECK(pause.next == states.size());
        states.emplace_back(pause);
        const bool ended = pause.next == pause.record->events.size();
        return StepAnswer{ended ? StepAnswer::Kind::Resume : StepAnswer::Kind::Into};
    });
    REQUIRE(states.size() == record.events.size() + 1);
    return states;
}

void requireState(const StepPause& pause, const std::vector<StoodState>& states) {
    REQUIRE(pause.next < states.size());
    const StoodState here(pause);
    REQUIRE_MESSAGE(here == states[pause.next], "before event ", pause.next, ": ",
                    here.differenceFrom(states[pause.next]));
    CHECK_MESSAGE(pause.notes.empty(), pause.notes.front());
    CHECK(pause.checkpointBytes <= pause.checkpointLimit);
}

const steps::ValueState* stateOf(const StoodState& state, std::string_view name) {
    const auto found = std::ranges::find_if(
        state.values, [&](const steps::ValueDetails& value) { return value.state.name == name; });
    return found == state.values.end() ? nullptr : &found->state;
}

/// How often what `of` tells changes from one event to the next.
template<typename Of>
int changesOver(const std::vector<StoodState>& states, const Of& of) {
    int changes = 0;
    for (std::size_t i = 1; i < states.size(); ++i) {
        changes += of(states[i]) != of(states[i - 1]) ? 1 : 0;
    }
    return changes;
}

} // namespace

TEST_CASE("the states of a call tell its random numbers and its writes") {
    constexpr std::size_t calls = 2;
    SteppedFunction stepped = trained(calls);
    steps::CallRecord record;
    const std::vector<StoodState> states = forwardStates(stepped, record);
    CHECK(states.size() > 60);
    std::set<EventKind> kinds;
    for (const steps::CallEvent& event : record.events) {
        kinds.insert(event.kind);
    }
    CHECK(kinds == std::set{EventKind::WrapperEntry, EventKind::WrapperExit, EventKind::ForwardNode,
                            EventKind::Saving, EventKind::BackwardNode, EventKind::GradientAccumulation});
    // Two dropouts in each call, and the seed of the second call.
    CHECK(changesOver(states, [](const StoodState& state) { return state.generator; }) >= 2 * int(calls));
    for (const char* written : {"mean", "seen", "w", "v"}) {
        INFO(written);
        const auto contents = [&](const StoodState& state) { return stateOf(state, written)->contents; };
        const auto version = [&](const StoodState& state) { return stateOf(state, written)->version; };
        CHECK(changesOver(states, contents) >= int(calls) - 1);
        CHECK(changesOver(states, version) >= int(calls) - 1);
        CHECK(stateOf(states.back(), written)->contents != stateOf(states.front(), written)->contents);
    }
    CHECK(stateOf(states.front(), "gradient of w") == nullptr);
    CHECK(stateOf(states.back(), "gradient of w") != nullptr);
}

TEST_CASE("all events of a function with dropout and writes in place are stepped back over bit for bit") {
    SteppedFunction stepped = trained(2);
    steps::CallRecord whole;
    const std::vector<StoodState> states = forwardStates(stepped, whole);
    const std::size_t last = states.size() - 1;
    REQUIRE(last >= 50);
    const steps::CallRecord unpaused = test::called(stepped.compiled);
    test::requireEager(unpaused);
    const auto checkSame = [](const steps::CallRecord& record, const steps::CallRecord& other) {
        CHECK(record.outputs == other.outputs);
        CHECK(record.arguments == other.arguments);
        CHECK(record.gradients == other.gradients);
    };
    checkSame(whole, unpaused);
    for (const std::int64_t limit : {std::int64_t{1} << 30, std::int64_t{0}}) {
        INFO(limit, " bytes of checkpoints");
        stepped.pauses.checkpointLimit = limit;
        std::size_t turns = 0;
        bool forward = true;
        std::size_t stood = 0;
        const steps::CallRecord record = stepped.call([&](const StepPause& pause, std::size_t count) {
            requireState(pause, states);
            CHECK((count == 1 || pause.next == (forward ? stood + 1 : stood - 1)));
            stood = pause.next;
            if (stood == last || (stood == 0 && !forward)) {
                forward = !forward;
                ++turns;
            }
            // There, back, and there again.
            const bool ends = turns == 3;
            return StepAnswer{ends      ? StepAnswer::Kind::Resume
                              : forward ? StepAnswer::Kind::Into
                                        : StepAnswer::Kind::BackInto};
        });
        CHECK(turns == 3);
        checkSame(record, unpaused);
    }
}

TEST_CASE("a step that is taken back after each event ends as eager does, the optimizer's step included") {
    SteppedFunction stepped = trained(1);
    steps::CallRecord whole;
    const std::vector<StoodState> states = forwardStates(stepped, whole);
    const std::size_t last = states.size() - 1;
    std::size_t furthest = 0;
    std::size_t pauses = 0;
    const steps::CallRecord record = stepped.call([&](const StepPause& pause, std::size_t /*count*/) {
        requireState(pause, states);
        ++pauses;
        if (pause.next > furthest) {
            furthest = pause.next;
            return StepAnswer{StepAnswer::Kind::BackInto};
        }
        if (pause.next == last) {
            return StepAnswer{StepAnswer::Kind::Resume};
        }
        return StepAnswer{StepAnswer::Kind::RunTo, std::min(furthest + 1, last)};
    });
    CHECK(pauses >= 50);
    test::requireEager(record);
}

TEST_CASE("a call tells how much of its arguments' data it changed") {
    const steps::CallRecord record = test::called(trained(1).compiled);
    REQUIRE_FALSE(record.wrappers.empty());
    const std::vector<steps::ValueState>& after = record.wrappers.front().argumentsAfterCall;
    const auto changeOf = [&](std::string_view name) {
        const auto found = std::ranges::find(after, name, &steps::ValueState::name);
        REQUIRE(found != after.end());
        return found->change;
    };
    CHECK(changeOf("seen") == steps::DataChange{1, 1, 1});
    REQUIRE(changeOf("mean"));
    CHECK(changeOf("mean")->changed == 16);
    CHECK(changeOf("mean")->largest > 0);
    // What the function only reads is not compared.
    CHECK_FALSE(changeOf("x"));
    CHECK_FALSE(changeOf("w"));
}
