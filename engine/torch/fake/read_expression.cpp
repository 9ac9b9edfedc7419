#include "fake/read_expression.h"

#include "fake/sympy_text.h"

#include <cmath>
#include <string>

namespace aotscope::torch {

namespace {

std::optional<SymExpression> readTerm(const SympyTerm& term);

std::optional<SymExpression> powerOf(const SymExpression& base, const SympyTerm& exponent) {
    constexpr double most = 16;
    if (exponent.kind != SympyTerm::Kind::Number || exponent.number < 1 || exponent.number > most) {
        return std::nullopt;
    }
    SymExpression result = base;
    for (double count = 1; count < exponent.number; ++count) {
        result = result * base;
    }
    return result;
}

std::optional<SymExpression> callOf(const std::string& name, const SymExpression& left,
                                    const SymExpression& right) {
    if (name == "FloorDiv") {
        return SymExpression::floorDivide(left, right);
    }
    if (name == "Mod" || name == "PythonMod") {
        return SymExpression::modulo(left, right, name == "Mod");
    }
    if (name == "Min") {
        return SymExpression::minimum(left, right);
    }
    if (name == "Max") {
        return SymExpression::maximum(left, right);
    }
    return std::nullopt;
}

std::optional<SymExpression> readTerm(const SympyTerm& term) {
    if (term.kind == SympyTerm::Kind::Number) {
        return std::floor(term.number) == term.number
                   ? std::optional(SymExpression(static_cast<std::int64_t>(term.number)))
                   : std::nullopt;
    }
    if (term.kind == SympyTerm::Kind::Symbol) {
        return SymExpression::atom(term.name);
    }
    std::vector<SymExpression> parts;
    for (const SympyTerm& part : term.parts) {
        auto expression = readTerm(part);
        if (!expression) {
            return std::nullopt;
        }
        parts.push_back(*std::move(expression));
    }
    if (term.kind == SympyTerm::Kind::Power) {
        return powerOf(parts[0], term.parts[1]);
    }
    if (term.kind == SympyTerm::Kind::Function) {
        return parts.size() == 2 ? callOf(term.name, parts[0], parts[1]) : std::nullopt;
    }
    // A number in front of a product is multiplied last: it would be multiplied out with a sum behind it.
    SymExpression result = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
        result = term.kind == SympyTerm::Kind::Sum ? parts[i] + result : parts[i] * result;
    }
    return result;
}

} // namespace

std::optional<SymExpression> readExpression(std::string_view text) {
    const auto term = readSympy(text);
    auto expression = term ? readTerm(*term) : std::nullopt;
    return expression && expression->text() == text ? expression : std::nullopt;
}

} // namespace aotscope::torch
