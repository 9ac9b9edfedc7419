// Symbolic sizes as PyTorch prints them with sympy, and symbol values that satisfy guards.
#include "ir/symbolic/range.h"
#include "ir/symbolic/relation.h"
#include "ir/symbolic/symbol_values.h"
#include "ir/symbolic/terms.h"

#include <doctest/doctest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace aotscope;

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
    return ir::SymExpr(guard).evaluateBool(values) == true;
}

std::optional<ir::SymExpr> readExpression(const std::string& text, const ir::NumberSymbols& numbers = {}) {
    return ir::SymExpr(text).canonical(numbers);
}

std::optional<ir::SymbolRelation> symbolRelation(const char* text) {
    return ir::symbolRelation(ir::SymExpr(text));
}

/// An operand of a computation. As in Python, an integer becomes a float when combined with one.
struct Operand {
    ir::SymExpr expression;
    bool isFloat = false;

    [[nodiscard]] Operand asFloat() const {
        const auto number = expression.constant();
        return isFloat  ? *this
               : number ? Operand{ir::SymExpr::real(static_cast<double>(*number)), true}
                        : Operand{ir::SymExpr::call("ToFloat", {expression}), true};
    }
};

Operand combined(const std::string& operation, Operand left, Operand right) {
    const bool isFloat = left.isFloat || right.isFloat;
    if (isFloat) {
        left = left.asFloat();
        right = right.asFloat();
    }
    const ir::SymExpr& a = left.expression;
    const ir::SymExpr& b = right.expression;
    if (operation == "truediv") {
        return {ir::SymExpr::call(isFloat ? "FloatTrueDiv" : "IntTrueDiv", {a, b}), true};
    }
    return {operation == "add"        ? a + b
            : operation == "sub"      ? a - b
            : operation == "mul"      ? a * b
            : operation == "floordiv" ? ir::SymExpr::floorDivide(a, b)
            : operation == "mod"      ? ir::SymExpr::modulo(a, b, false)
            : operation == "max"      ? ir::SymExpr::maximum(a, b)
                                      : ir::SymExpr::minimum(a, b),
            isFloat};
}

/// The result of a computation in reverse Polish notation.
std::string computed(const std::string& computation) {
    std::vector<Operand> stack;
    std::istringstream words(computation);
    for (std::string word; words >> word;) {
        if (ir::isSizeSymbol(word, {})) {
            stack.push_back({ir::SymExpr(word)});
        } else if (word.find('.') != std::string::npos) {
            stack.push_back({ir::SymExpr::real(std::stod(word)), true});
        } else if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            stack.push_back({ir::SymExpr(std::stoll(word))});
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
        CHECK_FALSE_MESSAGE(ir::SymExpr(text).tree(), text);
    }
    const auto symbol = [](const std::string& name) { return ir::SymExpr(name); };
    CHECK(ir::SymExpr("9223372036854775808").substituted(symbol) == std::nullopt);
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
        CHECK_MESSAGE(ir::SymExpr(nested(open, 100)).tree(), open);
        CHECK_FALSE_MESSAGE(ir::SymExpr(nested(open, 100'000)).tree(), open);
    }
    CHECK_FALSE(ir::relationOf(ir::SymExpr(nested("Not(", 100'000))));
}

TEST_CASE("a relation is split outside of the brackets") {
    const auto split = [](const std::string& text) {
        const auto relation = ir::relationOf(ir::SymExpr(text));
        return relation ? relation->left.text() + " | " + relation->right.text() : std::string();
    };
    CHECK(split("Eq(Max(1, s0), 8)") == "Max(1, s0) | 8");
    CHECK(split("Not(Eq(Mod(s0, 2), Min(s1, 3)))") == "Mod(s0, 2) | Min(s1, 3)");
    CHECK(split("Max(1, s0) <= (s1//2)") == "Max(1, s0) | (s1//2)");
    CHECK(split("(s0 + 1 < 8 )") == "s0 + 1 | 8");
    CHECK(ir::relationOf(ir::SymExpr("Not(Not(s0 < 3))"))->kind == ir::SymRelation::Kind::Less);
    for (const char* other : {"Eq(s0, 8) & Eq(s1, 9)", "Not(s0 < 8) & f(s1)", "Eq(Max(1, s0))"}) {
        CHECK_MESSAGE(split(other).empty(), other);
    }
    CHECK(ir::pinsFloat(ir::SymExpr("Eq(FloatPow(ToFloat(s0), -0.5), 0.25)")));
    CHECK_FALSE(ir::pinsFloat(ir::SymExpr("Eq(s0, 8) | Eq(FloatPow(ToFloat(s0), -0.5), 0.25)")));
}

TEST_CASE("factors are in sympy's order") {
    const auto comesBefore = [](const char* left, const char* right) {
        return ir::comesBefore(ir::SymExpr(left), ir::SymExpr(right));
    };
    CHECK(comesBefore("(s27 + (Mod(2 - (Mod(s27, 2)), 2)))", "(4*s53 + 4*(Mod(2 - (Mod(s53, 2)), 2)))"));
    CHECK(comesBefore("Max(1, 2*((s0//((s0//2))))*((s53//((s53//2)))))", "Max(1, (s0//2))"));
    CHECK(comesBefore("Max(1, (s27//4))", "Max(1, (s27//((s27//4))))"));
    CHECK_FALSE(comesBefore("s0", "s0"));
}

TEST_CASE("a copy keeps the form that was computed") {
    const ir::SymExpr sum = ir::SymExpr("s1") + ir::SymExpr("s0") * ir::SymExpr(2) - ir::SymExpr(1);
    const ir::SymExpr copy = sum;
    CHECK(sum.text() == "2*s0 + s1 - 1");
    CHECK(copy.text().data() == sum.text().data());
    CHECK(copy.evaluateInt({{"s0", 5}, {"s1", 3}}) == 12);
    CHECK((copy - sum).constant() == 0);
    const auto isLast = [](const std::string& symbol) { return symbol == "u0"; };
    CHECK_FALSE(sum.anySymbol(isLast));
    CHECK((sum * ir::SymExpr::maximum(ir::SymExpr(1), ir::SymExpr("u0"))).anySymbol(isLast));
    CHECK(ir::SymExpr("Eq(u0, 1)").anySymbol(isLast));
    CHECK(ir::SymExpr("s0 + 1").constant() == std::nullopt);
}

TEST_CASE("symbols of whole numbers have any sign") {
    CHECK(readExpression("Max(1, s77 + s87)") == std::nullopt);
    const ir::NumberSymbols numbers = {"s87"};
    CHECK(readExpression("Max(1, s77 + s87)", numbers));
    CHECK(readExpression("9 - (PythonMod(s87, 3))", numbers));
    CHECK_FALSE(ir::isSizeSymbol("s87", numbers));
    CHECK(ir::isSizeSymbol("s77", numbers));
}

TEST_CASE("values are found for which equalities hold") {
    const std::vector<std::string> known = {"Eq(s57, (10//s62))", "Eq(s62*s57*11, 110)", "Ne(s62, 10)"};
    const ir::SymbolBindings seen = {{"s57", 5}, {"s62", 2}};
    ir::SymbolValues values(guards(known), false);
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
    CHECK(ir::SymbolValues(guards({"s27 <= 6"}), false).find(seen, wanted).at("s27") == 28);
    CHECK(ir::SymbolValues(guards({"s27 <= 6"}), true).find(seen, wanted).at("s27") <= 6);
}

TEST_CASE("a bound of a symbol plus a number bounds the symbol") {
    ir::KnownRanges known;
    known.add(*symbolRelation("s27 + 2 <= 2050"));
    CHECK(known.range("s27").most == 2048);
    CHECK(known.imply(*symbolRelation("s27 <= 2048")));
    CHECK_FALSE(known.imply(*symbolRelation("s27 <= 2047")));
    const auto mirrored = symbolRelation("10 > s0 - 3");
    REQUIRE(mirrored);
    CHECK(mirrored->kind == ir::SymRelation::Kind::Less);
    CHECK(mirrored->number == 13);
    for (const char* other :
         {"s0 + s1 <= 8", "2*s0 + 1 <= 9", "s0 + 9223372036854775807 >= -5", "Eq(s0 + 1, 4)"}) {
        CHECK_FALSE_MESSAGE(symbolRelation(other), other);
    }
}

TEST_CASE("a size that is computed from symbols is not negative") {
    const ir::SymbolBindings seen = {{"s38", 135}};
    ir::SymbolValues values(guards({}), false);
    values.keepAtLeast(ir::SymExpr("270 - s38"), 2);
    CHECK(values.find(seen, {{"s38", 945}}).at("s38") <= 268);
    CHECK(values.find(seen, {{"s38", 136}}).at("s38") == 136);
}

TEST_CASE("within narrow bounds values are tried that a quotient tells apart") {
    const ir::SymbolBindings seen = {{"s0", 64}};
    const auto found =
        ir::SymbolValues(guards({"s0 <= 64", "s0 > 32"}), true).find(seen, {{"s0", 448}}).at("s0");
    CHECK(found > 32);
    CHECK((found - 1) / 16 != (64 - 1) / 16);
}

TEST_CASE("what no values fulfil leaves them as they are wanted") {
    const ir::SymbolBindings seen = {{"s0", 4}};
    CHECK(ir::SymbolValues(guards({"Eq(s0, s0 + 1)"}), false).find(seen, {{"s0", 28}}).at("s0") == 28);
}
