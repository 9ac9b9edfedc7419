#include "load/compile_id.h"

#include <doctest/doctest.h>

using aotscope::load::CompileId;

TEST_CASE("a compile id is written and read as PyTorch prints it") {
    // torch._guards.CompileId.__str__ and TraceId.__str__.
    for (const char* const text :
         {"0/0", "0/1", "0/1_2", "12/345_6", "!0/1/0", "!0", "!3_1", "!0/1/0_2", "-"}) {
        const auto id = CompileId::parse(text);
        REQUIRE_MESSAGE(id.has_value(), text);
        CHECK(id->text() == text);
    }
}

TEST_CASE("attempt 0 and no attempt have the same text") {
    CompileId id;
    id.frame = 4;
    id.frameCompile = 2;
    CHECK(id.text() == "4/2");
    id.attempt = 0;
    CHECK(id.text() == "4/2");
    id.attempt = 1;
    CHECK(id.text() == "4/2_1");
}

TEST_CASE("text that is no compile id is refused") {
    for (const char* const text : {"", "0", "0/", "/0", "a/b", "0/0_", "0/0/0", "!", "!/0/0", "-1/0",
                                   "0/99999999999", "0/0 ", "_1", "!-"}) {
        CHECK_MESSAGE(!CompileId::parse(text).has_value(), text);
    }
}

TEST_CASE("compiles of one id have their number in the log") {
    for (const char* const text : {"0/0 (2nd)", "0/1_2 (3rd)", "!0 (4th)", "!0/1/0 (11th)", "0/0 (21st)",
                                   "7/0 (112th)", "7/0 (122nd)"}) {
        const auto id = CompileId::parse(text);
        REQUIRE_MESSAGE(id.has_value(), text);
        CHECK(id->text() == text);
    }
    CHECK(CompileId::parse("0/0 (2nd)")->repetition == 1);
    CHECK(CompileId::parse("0/0(2nd)") == CompileId::parse("0/0 (2nd)"));
    CHECK(CompileId::parse("0/0 2nd") == CompileId::parse("0/0 (2nd)"));
    CHECK(CompileId::parse("0/0 (1st)") == CompileId::parse("0/0"));
    for (const char* const text : {"0/0 (2)", "0/0 (2st)", "0/0 (0th)", "0/0 ()", "0/0 (2nd", "(2nd)",
                                   "- (2nd)", "0/0 (2nd) x", "0/0 (12nd)"}) {
        CHECK_MESSAGE(!CompileId::parse(text).has_value(), text);
    }
}
