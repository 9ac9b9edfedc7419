#include "ir/symbolic/expression.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace aotscope::ir;

namespace {

const SymbolBindings bindings{{"s0", 7}, {"s1", 3}, {"u0", 0}, {"s27", 10}, {"big", std::int64_t{1} << 62}};

std::string errorCode(const std::string& text) {
    const auto result = SymExpr(text).evaluate(bindings);
    REQUIRE_FALSE(result.ok());
    return result.error().code;
}

} // namespace

TEST_CASE("expressions have the values sympy gives them") {
    const std::vector<std::pair<const char*, SymbolValue>> rows{
        {"s0", std::int64_t{7}},
        {"2*s0 + 1", std::int64_t{15}},
        {"s0 - s1 - 1", std::int64_t{3}},
        {"-s0**2", std::int64_t{-49}},
        {"2**-1", 0.5},
        {"s0*s1//2", std::int64_t{10}},
        {"(s27//4)", std::int64_t{2}},
        {"-s0//2", std::int64_t{-4}},
        {"-s0 % s1", std::int64_t{2}},
        {"s0/2", 3.5},
        {"6*s1/9", std::int64_t{2}},
        {"s0/3*3", std::int64_t{7}},
        {"Max(1, u0, s1)", std::int64_t{3}},
        {"Min(s0, s1)", std::int64_t{3}},
        {"Mod(s0, 4)", std::int64_t{3}},
        {"PythonMod(-s0, 4)", std::int64_t{1}},
        {"FloorDiv(s0, 2)", std::int64_t{3}},
        {"CeilDiv(s0, 2)", std::int64_t{4}},
        {"CleanDiv(s27, 5)", std::int64_t{2}},
        {"ModularIndexing(s27, 2, 3)", std::int64_t{2}},
        {"Identity(s0)", std::int64_t{7}},
        {"floor(-s0/2)", std::int64_t{-4}},
        {"ceiling(s0/2)", std::int64_t{4}},
        {"Abs(-s0)", std::int64_t{7}},
        {"TruncToInt(-3.7)", std::int64_t{-3}},
        {"RoundToInt(2.5)", std::int64_t{2}},
        {"ToFloat(s0)", 7.0},
        {"IntTrueDiv(s0, 2)", 3.5},
        {"FloatTrueDiv(7.0, 2.0)", 3.5},
        {"OpaqueUnaryFn_sqrt(ToFloat(s1 + 1))", 2.0},
        {"PowByNatural(s1, 3)", std::int64_t{27}},
        {"LShift(s1, 2)", std::int64_t{12}},
        {"Eq(s0, 7)", true},
        {"Ne(s0, 7)", false},
        {"u0 >= 0", true},
        {"1 < s1 < 3", false},
        {"And(s0 > 1, s1 > 1)", true},
        {"(s0 > 9) | (s1 > 1)", true},
        {"Not(Eq(s0, s1))", true},
        {"~(s0 > 1)", false},
        {"not s0 > 1 or s1 == 3", true},
        {"Where(s0 > 1, 5, s0//u0)", std::int64_t{5}},
        {"Piecewise((1, s0 < 1), (2, True))", std::int64_t{2}},
        {"s0 & 3", std::int64_t{3}},
        {"big + (big - 1)", std::numeric_limits<std::int64_t>::max()},
        {"1e3", 1000.0},
        {"True", true},
    };
    for (const auto& [text, expected] : rows) {
        CAPTURE(text);
        const auto result = SymExpr(text).evaluate(bindings);
        if (!result) {
            FAIL_CHECK(result.error().text());
            continue;
        }
        CHECK(*result == expected);
    }
}

TEST_CASE("what has no value says why") {
    CHECK(errorCode("s99 + 1") == "ir.symbol_unbound");
    CHECK(SymExpr("2*s99").evaluate(bindings).error().message.find("s99") != std::string::npos);
    CHECK(errorCode("big + big") == "ir.symbol_overflow");
    CHECK(errorCode("big*big*big") == "ir.symbol_overflow");
    CHECK(errorCode("10**400") == "ir.symbol_overflow");
    CHECK(errorCode("99999999999999999999") == "ir.symbol_syntax");
    CHECK(errorCode("s0 // u0") == "ir.symbol_division");
    CHECK(errorCode("Mod(s0, u0)") == "ir.symbol_division");
    for (const char* text : {"s0 +", "(s0", "s0)", "", "s0 s1", "Mod(s0)", "frobnicate(s0)", "$", "1..2"}) {
        CAPTURE(text);
        CHECK(errorCode(text) == "ir.symbol_syntax");
    }
}

TEST_CASE("an expression keeps its text and names its symbols in order") {
    const SymExpr expression("Max(1, u0)*s27 + s0*u0");
    CHECK(expression.text() == "Max(1, u0)*s27 + s0*u0");
    CHECK(expression.symbols() == std::vector<std::string>{"u0", "s27", "s0"});
    CHECK(SymExpr("not an expression").symbols().empty());
    CHECK(SymInt(SymExpr("2*s0")).value(bindings) == 14);
    CHECK(SymInt(5).value({}) == 5);
    CHECK_FALSE(SymInt(SymExpr("s0/2")).value(bindings).has_value());
}

TEST_CASE("hostile expressions are refused without deep recursion") {
    const auto repeated = [](const std::string& part, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) {
            text += part;
        }
        return text;
    };
    for (const char* part : {"(", "-", "not ", "s0**", "Max(", "~"}) {
        CAPTURE(part);
        CHECK(errorCode(repeated(part, 100'000)) == "ir.symbol_syntax");
    }
    CHECK(errorCode("s0" + repeated("//s0", 100'000)) == "ir.symbol_syntax");
    CHECK(SymExpr("s0" + repeated(" + s0", 10'000)).evaluateInt(bindings) == 70'007);
}
