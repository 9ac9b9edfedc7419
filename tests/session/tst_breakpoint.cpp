#include "contract/breakpoint.h"
#include "contract/trace_pause.h"
#include "session/open_pauses.h"

#include <doctest/doctest.h>

#include <thread>

using namespace aotscope;
using session::Breakpoint;
using session::PauseAnswer;

TEST_CASE("a breakpoint reads back as it is written") {
    const struct {
        const char* text;
        Breakpoint breakpoint;
    } cases[] = {
        {"model.py:41", {Breakpoint::Kind::Line, "model.py", 41}},
        {"C:/a b/model.py:1", {Breakpoint::Kind::Line, "C:/a b/model.py", 1}},
        {"op:mm", {Breakpoint::Kind::Operator, "mm", 0}},
        {"op:aten.mm.default", {Breakpoint::Kind::Operator, "aten.mm.default", 0}},
        {"node:add_3", {Breakpoint::Kind::Node, "add_3", 0}},
        {"program:linear", {Breakpoint::Kind::ProgramNode, "linear", 0}},
        {"stage:joint trace", {Breakpoint::Kind::Stage, "joint trace", 0}},
        {"guard", {}},
    };
    for (const auto& [text, breakpoint] : cases) {
        const auto parsed = Breakpoint::parse(text);
        REQUIRE_MESSAGE(parsed.ok(), text);
        CHECK(*parsed == breakpoint);
        CHECK(parsed->toText() == text);
    }
    CHECK(Breakpoint::parse("  op: mm ")->toText() == "op:mm");
    for (const char* wrong :
         {"", "mm", "op:", "model.py:", "model.py:x", "model.py:0", ":3", "guards", "stage:metadata"}) {
        const auto parsed = Breakpoint::parse(wrong);
        REQUIRE_FALSE_MESSAGE(parsed.ok(), wrong);
        CHECK(parsed.error().code == "retrace.breakpoint");
        CHECK(parsed.error().hint.find("op:mm") != std::string::npos);
    }
}

TEST_CASE("a source line is met by the end of its file's path, whole parts of it") {
    const ir::SourceLocation source{"/home/me/net/model.py", 41, "forward", "x"};
    for (const char* same : {"model.py:41", "net/model.py:41", "/home/me/net/model.py:41"}) {
        CHECK_MESSAGE(Breakpoint::parse(same)->isAt(source), same);
    }
    for (const char* other : {"model.py:4", "del.py:41", "other/model.py:41", "op:mm", "guard"}) {
        CHECK_FALSE_MESSAGE(Breakpoint::parse(other)->isAt(source), other);
    }
}

TEST_CASE("an operator is met with and without name space and overload") {
    for (const char* same : {"op:mm", "op:aten.mm", "op:aten.mm.default"}) {
        CHECK_MESSAGE(Breakpoint::parse(same)->isOperator("aten.mm.default"), same);
    }
    for (const char* other : {"op:m", "op:addmm", "op:aten.mm.out", "op:default", "node:mm"}) {
        CHECK_FALSE_MESSAGE(Breakpoint::parse(other)->isOperator("aten.mm.default"), other);
    }
}

TEST_CASE("a pause takes one answer while it is open") {
    session::OpenPauses pauses;
    CHECK_FALSE(pauses.answer(1, {PauseAnswer::Kind::Resume}));
    const std::uint64_t first = pauses.open();
    CHECK(pauses.answer(first, {PauseAnswer::Kind::NextLine}));
    CHECK_FALSE(pauses.answer(first, {PauseAnswer::Kind::Abort}));
    CHECK(pauses.wait(first, {}).kind == PauseAnswer::Kind::NextLine);
    CHECK_FALSE(pauses.answer(first, {PauseAnswer::Kind::Resume}));
    const std::uint64_t second = pauses.open();
    CHECK_FALSE(pauses.answer(first, {PauseAnswer::Kind::Resume}));
    CHECK(pauses.answer(second, {PauseAnswer::Kind::AddFact, "Eq(s0, 8)"}));
    CHECK(pauses.wait(second, {}).fact == "Eq(s0, 8)");
}

TEST_CASE("an answer from another thread, or a stop, ends the wait") {
    session::OpenPauses pauses;
    {
        const std::uint64_t number = pauses.open();
        const std::jthread person([&] { pauses.answer(number, {PauseAnswer::Kind::NextOperator}); });
        CHECK(pauses.wait(number, {}).kind == PauseAnswer::Kind::NextOperator);
    }
    std::stop_source stop;
    const std::uint64_t number = pauses.open();
    const std::jthread person([&] { stop.request_stop(); });
    CHECK(pauses.wait(number, stop.get_token()).kind == PauseAnswer::Kind::Abort);
    CHECK_FALSE(pauses.answer(number, {PauseAnswer::Kind::Resume}));
}
