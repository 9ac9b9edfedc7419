// Symbolic sizes as PyTorch prints them with sympy, and symbol values that satisfy guards.
#include "fake/read_expression.h"
#include "fake/relation_text.h"
#include "fake/shape_fact.h"
#include "fake/symbol_values.h"
#include "fake/sympy_order.h"
#include "fake/sympy_text.h"

#include <doctest/doctest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace aotscope;
using namespace aotscope::torch;

namespace {

/// Expressions printed by PyTorch 2.11 in the logs of tests/golden, one per line.
std::vector<std::string> recorded() {
    std::ifstream file(std::filesystem::path(AOTSCOPE_TEST_DIR) / "torch" / "recorded_sizes.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.front() != '#') {
            lines.push_back(line);
        }
    }
    return lines;
}

std::vector<ir::SymExpr> guards(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

bool holds(const std::string& guard, const ir::SymbolBindings& values) {
    const auto answer = ir::SymExpr(guard).evaluate(values);
    return answer && std::get<bool>(*answer);
}

/// An operand of a computation. As in Python, an integer becomes a float when combined with one.
struct Operand {
    SymExpression expression;
    bool isFloat = false;

    [[nodiscard]] Operand asFloat() const {
        const auto number = expression.constant();
        return isFloat  ? *this
               : number ? Operand{SymExpression::real(static_cast<double>(*number)), true}
                        : Operand{SymExpression::call("ToFloat", {expression}), true};
    }
};

Operand combined(const std::string& operation, Operand left, Operand right) {
    const bool isFloat = left.isFloat || right.isFloat;
    if (isFloat) {
        left = left.asFloat();
        right = right.asFloat();
    }
    const SymExpression& a = left.expression;
    const SymExpression& b = right.expression;
    if (operation == "truediv") {
        return {SymExpression::call(isFloat ? "FloatTrueDiv" : "IntTrueDiv", {a, b}), true};
    }
    return {operation == "add"        ? a + b
            : operation == "sub"      ? a - b
            : operation == "mul"      ? a * b
            : operation == "floordiv" ? SymExpression::floorDivide(a, b)
            : operation == "mod"      ? SymExpression::modulo(a, b, false)
            : operation == "max"      ? SymExpression::maximum(a, b)
                                      : SymExpression::minimum(a, b),
            isFloat};
}

/// The result of a computation in reverse Polish notation.
std::string computed(const std::string& computation) {
    std::vector<Operand> stack;
    std::istringstream words(computation);
    for (std::string word; words >> word;) {
        if (isSizeSymbol(word, {})) {
            stack.push_back({SymExpression::atom(word)});
        } else if (word.find('.') != std::string::npos) {
            stack.push_back({SymExpression::real(std::stod(word)), true});
        } else if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            stack.push_back({SymExpression(std::stoll(word))});
        } else if (word == "float") {
            stack.back() = stack.back().asFloat();
        } else {
            const Operand right = stack.back();
            stack.pop_back();
            stack.back() = combined(word, stack.back(), right);
        }
    }
    return stack.back().expression.text();
}

} // namespace

TEST_CASE("computations with sizes give what PyTorch's gave") {
    std::ifstream file(std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "expression_answers.txt");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) {
        if (const std::size_t tab = line.find('\t'); tab != std::string::npos) {
            const std::string computation = line.substr(0, tab);
            const std::string answer = line.substr(tab + 1);
            CHECK_MESSAGE(computed(computation) == answer, computation);
            const auto read = readExpression(answer);
            CHECK_MESSAGE((read && read->text() == answer), answer);
            ++count;
        }
    }
    CHECK(count > 900);
}

TEST_CASE("sizes are printed as PyTorch printed them") {
    const std::vector<std::string> lines = recorded();
    REQUIRE(lines.size() > 300);
    for (const std::string& line : lines) {
        const auto expression = readExpression(line);
        CHECK_MESSAGE((expression && expression->text() == line), line);
    }
}

TEST_CASE("a power that is no whole number is not read as the one above it") {
    CHECK(readExpression("s0**3")->text() == "s0**3");
    CHECK(readExpression("s0**2.5") == std::nullopt);
}

TEST_CASE("text that is not one whole expression is not read") {
    for (const char* text :
         {"", "s0)", "(s0", "(s0//2", "Max(1, s0", "Max(1, s0) 2", "s0 +", "s0*", "2s0", "s0 2"}) {
        CHECK_FALSE_MESSAGE(readSympy(text), text);
    }
    const auto symbol = [](const std::string& name) { return SymExpression::atom(name, {}); };
    CHECK(readExpression("9223372036854775808", symbol) == std::nullopt);
}

TEST_CASE("brackets from a log are not followed without end") {
    const auto nested = [](const std::string& open, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += open;
        }
        return text + "s0" + std::string(static_cast<std::size_t>(count), ')');
    };
    for (const char* open : {"(", "Max(", "(-", "Max(1, "}) {
        CHECK_MESSAGE(readSympy(nested(open, 100)), open);
        CHECK_FALSE_MESSAGE(readSympy(nested(open, 100'000)), open);
    }
    CHECK_FALSE(relationSides(nested("Not(", 100'000)));
}

TEST_CASE("a relation is split outside of the brackets") {
    const auto split = [](const std::string& text) {
        const auto sides = relationSides(text);
        return sides ? std::string(sides->left) + " | " + std::string(sides->right) : std::string();
    };
    CHECK(split("Eq(Max(1, s0), 8)") == "Max(1, s0) | 8");
    CHECK(split("Not(Eq(Mod(s0, 2), Min(s1, 3)))") == "Mod(s0, 2) | Min(s1, 3)");
    CHECK(split("Max(1, s0) <= (s1//2)") == "Max(1, s0) | (s1//2)");
    CHECK(relationSides("Not(Not(s0 < 3))")->kind == SymbolRelation::Kind::Less);
    for (const char* other : {"Eq(s0, 8) & Eq(s1, 9)", "Not(s0 < 8) & f(s1)", "(s0 < 8)", "Eq(Max(1, s0))"}) {
        CHECK_MESSAGE(split(other).empty(), other);
    }
    CHECK(pinsFloat("Eq(FloatPow(ToFloat(s0), -0.5), 0.25)"));
    CHECK_FALSE(pinsFloat("Eq(s0, 8) | Eq(FloatPow(ToFloat(s0), -0.5), 0.25)"));
}

TEST_CASE("factors are in sympy's order") {
    CHECK(comesBefore("(s27 + (Mod(2 - (Mod(s27, 2)), 2)))", "(4*s53 + 4*(Mod(2 - (Mod(s53, 2)), 2)))"));
    CHECK(comesBefore("Max(1, 2*((s0//((s0//2))))*((s53//((s53//2)))))", "Max(1, (s0//2))"));
    CHECK(comesBefore("Max(1, (s27//4))", "Max(1, (s27//((s27//4))))"));
    CHECK_FALSE(comesBefore("s0", "s0"));
}

TEST_CASE("symbols of whole numbers have any sign") {
    CHECK(readExpression("Max(1, s77 + s87)") == std::nullopt);
    const NumberSymbols numbers = {"s87"};
    CHECK(readExpression("Max(1, s77 + s87)", numbers));
    CHECK(readExpression("9 - (PythonMod(s87, 3))", numbers));
    CHECK_FALSE(isSizeSymbol("s87", numbers));
    CHECK(isSizeSymbol("s77", numbers));
}

TEST_CASE("values are found for which equalities hold") {
    const std::vector<std::string> known = {"Eq(s57, (10//s62))", "Eq(s62*s57*11, 110)", "Ne(s62, 10)"};
    const ir::SymbolBindings seen = {{"s57", 5}, {"s62", 2}};
    SymbolValues values(guards(known), false);
    values.avoid(seen);
    const ir::SymbolBindings found = values.find(seen, {{"s57", 85}, {"s62", 14}});
    CHECK(found.at("s62") == 5);
    for (const std::string& guard : known) {
        CHECK_MESSAGE(holds(guard, found), guard);
    }
}

TEST_CASE("bounds hold only where they are asked for") {
    const ir::SymbolBindings seen = {{"s27", 4}};
    const ir::SymbolBindings wanted = {{"s27", 28}};
    CHECK(SymbolValues(guards({"s27 <= 6"}), false).find(seen, wanted).at("s27") == 28);
    CHECK(SymbolValues(guards({"s27 <= 6"}), true).find(seen, wanted).at("s27") <= 6);
}

TEST_CASE("a bound of a symbol plus a number bounds the symbol") {
    KnownRanges known;
    known.add(*symbolRelation("s27 + 2 <= 2050"));
    CHECK(known.isBounded("s27"));
    CHECK(known.imply(*symbolRelation("s27 <= 2048")));
    CHECK_FALSE(known.imply(*symbolRelation("s27 <= 2047")));
    const auto mirrored = symbolRelation("10 > s0 - 3");
    REQUIRE(mirrored);
    CHECK(mirrored->kind == SymbolRelation::Kind::Less);
    CHECK(mirrored->number == 13);
    for (const char* other :
         {"s0 + s1 <= 8", "2*s0 + 1 <= 9", "s0 + 9223372036854775807 >= -5", "Eq(s0 + 1, 4)"}) {
        CHECK_FALSE_MESSAGE(symbolRelation(other), other);
    }
}

TEST_CASE("a size that is computed from symbols is not negative") {
    const ir::SymbolBindings seen = {{"s38", 135}};
    SymbolValues values(guards({}), false);
    values.keepAtLeast(ir::SymExpr("270 - s38"), 2);
    CHECK(values.find(seen, {{"s38", 945}}).at("s38") <= 268);
    CHECK(values.find(seen, {{"s38", 136}}).at("s38") == 136);
}

TEST_CASE("within narrow bounds values are tried that a quotient tells apart") {
    const ir::SymbolBindings seen = {{"s0", 64}};
    const auto found = SymbolValues(guards({"s0 <= 64", "s0 > 32"}), true).find(seen, {{"s0", 448}}).at("s0");
    CHECK(found > 32);
    CHECK((found - 1) / 16 != (64 - 1) / 16);
}

TEST_CASE("what no values fulfil leaves them as they are wanted") {
    const ir::SymbolBindings seen = {{"s0", 4}};
    CHECK(SymbolValues(guards({"Eq(s0, s0 + 1)"}), false).find(seen, {{"s0", 28}}).at("s0") == 28);
}
