// Breakpoints of a call: their text, and where a call with them pauses.
#include "small_call.h"

#include <doctest/doctest.h>

using namespace aotscope;
using steps::StepBreakpoint;

TEST_CASE("a step's breakpoint reads back as it is written") {
    const struct {
        const char* text;
        StepBreakpoint breakpoint;
    } cases[] = {
        {"wrapper:AOTDedupeWrapper", {StepBreakpoint::Kind::Wrapper, "AOTDedupeWrapper"}},
        {"node:mm_1", {StepBreakpoint::Kind::Node, "mm_1"}},
        {"op:aten.mm.default", {StepBreakpoint::Kind::Operator, "aten.mm.default"}},
        {"model.py:41", {StepBreakpoint::Kind::Line, "model.py", 41}},
        {"C:/a b/model.py:1", {StepBreakpoint::Kind::Line, "C:/a b/model.py", 1}},
        {"nan", {StepBreakpoint::Kind::NaN}},
        {"inf", {StepBreakpoint::Kind::Infinity}},
        {"shape", {StepBreakpoint::Kind::Shape}},
        {"above:10000", {StepBreakpoint::Kind::Above, "", 1e4}},
        {"above:0.1", {StepBreakpoint::Kind::Above, "", 0.1}},
        {"mutated:arg 2", {StepBreakpoint::Kind::Mutated, "arg 2"}},
        {"memory:64MB", {StepBreakpoint::Kind::Memory, "", 64e6}},
        {"memory:1500kB", {StepBreakpoint::Kind::Memory, "", 1.5e6}},
        {"memory:100B", {StepBreakpoint::Kind::Memory, "", 100}},
    };
    for (const auto& [text, breakpoint] : cases) {
        const auto parsed = StepBreakpoint::parse(text);
        REQUIRE_MESSAGE(parsed.ok(), text);
        CHECK_MESSAGE(*parsed == breakpoint, text);
        CHECK(parsed->toText() == text);
    }
}

TEST_CASE("spaces, units and exponents are read as a person means them") {
    CHECK(StepBreakpoint::parse("  op: mm ")->toText() == "op:mm");
    CHECK(StepBreakpoint::parse("above:1e4")->number == 1e4);
    CHECK(StepBreakpoint::parse("memory:4096")->number == 4096);
    CHECK(StepBreakpoint::parse("memory: 1.5 GB")->number == 1.5e9);
    CHECK(StepBreakpoint::parse("memory:0B")->toText() == "memory:0B");
}

TEST_CASE("what is no breakpoint gets the list of forms") {
    for (const char* wrong : {"", "mm", "op:", "wrapper: ", "model.py:", "model.py:0", ":3", "nans", "above:",
                              "above:x", "above:nan", "above:-1", "memory:64XB", "memory:", "mutated:"}) {
        const auto parsed = StepBreakpoint::parse(wrong);
        REQUIRE_FALSE_MESSAGE(parsed.ok(), wrong);
        CHECK(parsed.error().code == "step.breakpoint");
        for (const char* form : {"wrapper:", "node:", "op:", "model.py:41", "nan", "inf", "above:", "shape",
                                 "mutated:", "memory:"}) {
            CHECK_MESSAGE(parsed.error().hint.find(form) != std::string::npos, form);
        }
    }
}

TEST_CASE("each kind of breakpoint pauses where it says") {
    const test::SmallCall call;
    const struct {
        const char* breakpoint;
        std::vector<std::size_t> pauses;
    } cases[] = {
        {"wrapper:AOTDispatchAutograd", {1, 8}},
        {"wrapper:RuntimeWrapper", {0}},
        {"node:mm", {10}},
        {"op:addmm", {2}},
        {"op:aten.relu", {3}},
        // Before the first node of the line, and again after nodes of other lines.
        {"model.py:42", {3, 9}},
        {"model.py:41", {2, 10}},
        {"net/model.py:41", {2, 10}},
        {"other.py:41", {}},
        // Conditions pause after the event: before the next one.
        {"nan", {5}},
        {"inf", {10}},
        {"above:499", {5}},
        {"above:500", {10}}, // An infinity is above every number.
        {"shape", {11}},
        {"mutated:arg 2", {8}},
        {"mutated:arg 1", {}},
        {"memory:4kB", {5}},
        {"memory:3kB", {5}},
        {"memory:9kB", {}},
    };
    for (const auto& [text, pauses] : cases) {
        const StepBreakpoint breakpoint = StepBreakpoint::parse(text).value();
        std::vector<std::size_t> met;
        for (std::size_t next = 0; next <= call.events.size(); ++next) {
            if (steps::breakpointAt({&breakpoint, 1}, next, call.events, call.facts) != nullptr) {
                met.push_back(next);
            }
        }
        CHECK_MESSAGE(met == pauses, text);
    }
}

TEST_CASE("the first NaN counts in each call of a training loop") {
    test::SmallCall call;
    for (std::size_t event = 8; event < call.events.size(); ++event) {
        call.events[event].call = 1;
    }
    const StepBreakpoint nan{StepBreakpoint::Kind::NaN};
    const auto pauses = [&](std::size_t next) {
        return steps::breakpointAt({&nan, 1}, next, call.events, call.facts) != nullptr;
    };
    CHECK(pauses(5));
    CHECK(pauses(10));
    CHECK_FALSE(pauses(11));
}

TEST_CASE("the last event's condition pauses at the end") {
    test::SmallCall call;
    call.facts.back().mutated = {"weight"};
    const StepBreakpoint mutated{StepBreakpoint::Kind::Mutated, "weight"};
    CHECK(steps::breakpointAt({&mutated, 1}, call.events.size(), call.events, call.facts) == &mutated);
}
