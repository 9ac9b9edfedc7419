// Where stepping commands lead, on the events of a small training step (small_call.h).
#include "small_call.h"

#include <doctest/doctest.h>

using namespace aotscope;
using steps::StepAnswer;
using steps::StepController;
using steps::StepMove;

namespace {

/// Stands before event `at`, follows the command, and says where the call pauses next and why: "4 over",
/// "end", "refused". `onlyThePast`: the call has never been further.
std::string outcome(const test::SmallCall& call, std::size_t at, const std::string& command,
                    const std::vector<const char*>& breakpoints = {}, bool onlyThePast = false,
                    bool byFusedKernel = false) {
    steps::StepPauses pauses;
    pauses.byFusedKernel = byFusedKernel;
    for (const char* text : breakpoints) {
        pauses.breakpoints.push_back(steps::StepBreakpoint::parse(text).value());
    }
    pauses.atEnd = true;
    StepController controller(pauses);
    const StepMove move = controller.follow(StepAnswer::parse(command).value(), at,
                                            onlyThePast ? call.knownUpTo(at) : call.known());
    switch (move.kind) {
    case StepMove::Kind::Stay:
        CHECK_FALSE(move.refused.empty());
        return "refused";
    case StepMove::Kind::Finish:
        return "finish";
    case StepMove::Kind::Abort:
        return "abort";
    case StepMove::Kind::Back:
    case StepMove::Kind::Forward:
        break;
    }
    const bool back = move.kind == StepMove::Kind::Back;
    for (std::size_t next = back ? 0 : at + 1; next <= call.events.size(); ++next) {
        const auto known = onlyThePast && !back ? call.knownUpTo(next) : call.known();
        if (const auto reason = controller.pauseAt(next, known)) {
            CHECK((!back || next == move.event));
            return std::to_string(next) + " " + *reason;
        }
    }
    return "nowhere";
}

} // namespace

TEST_CASE("what is no step gets the list of steps") {
    for (const char* wrong : {"", "next", "to", "to x", "to -1", "to 3 4", "Into"}) {
        const auto answer = StepAnswer::parse(wrong);
        REQUIRE_FALSE_MESSAGE(answer.ok(), wrong);
        CHECK(answer.error().code == "step.command");
        CHECK(answer.error().hint.find("back-over") != std::string::npos);
    }
    CHECK(StepAnswer::parse("  to  12 ")->event == 12);
}

TEST_CASE("each command leads to its event") {
    const test::SmallCall call;
    const struct {
        std::size_t at;
        const char* command;
        const char* outcome;
    } cases[] = {
        {0, "into", "1 step"},
        {0, "over", "7 over"},
        {0, "out", "13 the end"},
        {1, "over", "6 over"},
        {1, "out", "7 out"},
        {2, "over", "3 over"},
        {3, "out", "6 out"},
        {5, "over", "6 over"},
        {6, "over", "7 over"},
        {7, "into", "8 step"},
        {8, "over", "11 over"},
        {9, "out", "11 out"},
        {12, "into", "13 step"},
        {3, "resume", "13 the end"},
        {3, "to 9", "9 event 9"},
        {3, "to 13", "13 event 13"},
        {3, "abort", "abort"},

        {3, "back", "2 back"},
        {2, "back-over", "1 back over"},
        {4, "back-over", "3 back over"},
        {6, "back-over", "1 back over"},
        {7, "back-over", "0 back over"},
        {11, "back-over", "8 back over"},
        {13, "back-over", "12 back over"},
        {4, "back-out", "1 back out"},
        {10, "back-out", "8 back out"},
        {1, "back-out", "0 back out"},
        {9, "resume-back", "0 the start"},
        {9, "to 3", "3 event 3"},
        {13, "to 0", "0 event 0"},

        // At the ends.
        {0, "back", "refused"},
        {0, "back-over", "refused"},
        {0, "back-out", "refused"},
        {0, "resume-back", "refused"},
        {13, "into", "refused"},
        {13, "over", "refused"},
        {13, "out", "refused"},
        {13, "resume", "finish"},
        {13, "to 14", "refused"},
        {5, "to 5", "refused"},
    };
    for (const auto& [at, command, expected] : cases) {
        CHECK_MESSAGE(outcome(call, at, command) == expected, at, " ", command);
    }
}

TEST_CASE("a way forward leads to the same event when nothing behind it is known yet") {
    const test::SmallCall call;
    for (std::size_t at = 0; at <= call.events.size(); ++at) {
        for (const char* command : {"into", "over", "out", "resume", "to 9"}) {
            CHECK_MESSAGE(outcome(call, at, command, {}, true) == outcome(call, at, command), at, " ",
                          command);
        }
    }
}

TEST_CASE("breakpoints end a way forward or back, but not a run to an event") {
    const test::SmallCall call;
    const struct {
        std::size_t at;
        const char* command;
        const char* breakpoint;
        const char* outcome;
    } cases[] = {
        {0, "resume", "op:relu", "3 breakpoint op:relu"},
        {0, "over", "node:sum_1", "4 breakpoint node:sum_1"},
        {1, "out", "wrapper:AOTDispatchAutograd", "7 out"},
        {4, "over", "nan", "5 breakpoint nan"},
        {5, "resume", "nan", "13 the end"},
        {0, "to 8", "nan", "8 event 8"},
        {0, "resume", "mutated:arg 2", "8 breakpoint mutated:arg 2"},
        {13, "resume-back", "op:relu", "3 breakpoint op:relu"},
        {13, "resume-back", "model.py:41", "10 breakpoint model.py:41"},
        {10, "resume-back", "model.py:41", "2 breakpoint model.py:41"},
        // To where the condition has just come true.
        {13, "resume-back", "nan", "5 breakpoint nan"},
        {5, "resume-back", "nan", "0 the start"},
        {13, "resume-back", "memory:8kB", "10 breakpoint memory:8kB"},
        // A step back passes breakpoints: it goes one event.
        {8, "back-over", "op:relu", "7 back over"},
    };
    for (const auto& [at, command, breakpoint, expected] : cases) {
        CHECK_MESSAGE(outcome(call, at, command, {breakpoint}) == expected, at, " ", command, " ",
                      breakpoint);
    }
    CHECK(outcome(call, 0, "resume", {"nan", "op:mm", "op:relu"}) == "3 breakpoint op:relu");
}

TEST_CASE("an answer replaces the breakpoints or leaves them") {
    const test::SmallCall call;
    steps::StepPauses pauses;
    pauses.breakpoints = {steps::StepBreakpoint{steps::StepBreakpoint::Kind::NaN}};
    StepController controller(pauses);
    (void)controller.follow({StepAnswer::Kind::Into}, 0, call.known());
    CHECK(controller.breakpoints().size() == 1);
    StepAnswer clearing{StepAnswer::Kind::Resume};
    clearing.breakpoints.emplace();
    (void)controller.follow(clearing, 1, call.known());
    CHECK(controller.breakpoints().empty());
    CHECK_FALSE(controller.pauseAt(5, call.known()).has_value());
}

TEST_CASE("a call pauses at its start and end only where that is asked for") {
    const test::SmallCall call;
    steps::StepPauses pauses;
    CHECK_FALSE(StepController(pauses).pauseAt(0, call.knownUpTo(0)).has_value());
    CHECK_FALSE(StepController(pauses).pauseAt(13, call.known()).has_value());
    pauses.atStart = true;
    pauses.atEnd = true;
    CHECK(StepController(pauses).pauseAt(0, call.knownUpTo(0)) == "the start");
    CHECK(StepController(pauses).pauseAt(13, call.known()) == "the end");
    // Only the last event that is known so far.
    CHECK_FALSE(StepController(pauses).pauseAt(12, call.knownUpTo(12)).has_value());
}

TEST_CASE("by fused kernel, consecutive nodes of a kernel are one step") {
    test::SmallCall call;
    call.facts[3].kernel = call.facts[4].kernel = "fused_relu_sum_3";
    call.facts[9].kernel = "fused_expand_1";
    const struct {
        std::size_t at;
        const char* command;
        const char* outcome;
    } cases[] = {
        // From before its first node: over it, or into it.
        {2, "over", "3 over"},
        {3, "over", "5 over fused_relu_sum_3"},
        {3, "into", "4 step"},
        {3, "out", "6 out"},
        // In its midst: node by node, or out of it.
        {4, "over", "5 over"},
        {4, "into", "5 step"},
        {4, "out", "5 out of fused_relu_sum_3"},
        // A kernel of one node.
        {9, "over", "10 over fused_expand_1"},
        {9, "into", "10 step"},
        {9, "out", "11 out"},
        // Back in time.
        {5, "back-over", "3 back over"},
        {5, "back", "4 back"},
        {5, "back-out", "1 back out"},
        {4, "back-over", "3 back over"},
        {4, "back-out", "3 back out"},
        {3, "back-over", "2 back over"},
        {3, "back-out", "1 back out"},
        {6, "back-over", "1 back over"},
        {10, "back-over", "9 back over"},
        // Over a wrapper goes over the kernels in it.
        {1, "over", "6 over"},
        {0, "over", "7 over"},
    };
    for (const auto& [at, command, expected] : cases) {
        CHECK_MESSAGE(outcome(call, at, command, {}, false, true) == expected, at, " ", command);
        if (std::string_view(command).find("back") == std::string_view::npos) {
            CHECK_MESSAGE(outcome(call, at, command, {}, true, true) == expected, at, " ", command,
                          " for the first time");
        }
    }
    CHECK(outcome(call, 3, "over", {"node:sum_1"}, false, true) == "4 breakpoint node:sum_1");
    // Unless a person wants it, kernels are no steps.
    CHECK(outcome(call, 3, "over") == "4 over");
    CHECK(outcome(call, 5, "back-over") == "4 back over");
}

TEST_CASE("an answer says whether steps are by fused kernel from then on") {
    test::SmallCall call;
    call.facts[3].kernel = call.facts[4].kernel = "fused_relu_sum_3";
    StepController controller({});
    StepAnswer over{StepAnswer::Kind::Over};
    over.byFusedKernel = true;
    (void)controller.follow(over, 3, call.known());
    CHECK_FALSE(controller.pauseAt(4, call.known()).has_value());
    CHECK(controller.pauseAt(5, call.known()) == "over fused_relu_sum_3");
    (void)controller.follow({StepAnswer::Kind::Over}, 3, call.known());
    CHECK_FALSE(controller.pauseAt(4, call.known()).has_value());
    over.byFusedKernel = false;
    (void)controller.follow(over, 3, call.known());
    CHECK(controller.pauseAt(4, call.known()) == "over");
}
