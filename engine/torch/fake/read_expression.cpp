#include "fake/read_expression.h"

#include "fake/sympy_text.h"

#include <cmath>
#include <numeric>
#include <string>

namespace aotscope::torch {

namespace {

std::optional<SymExpression> readTerm(const SympyTerm& term, const SymbolReader& read);

std::optional<SymExpression> powerOf(const SymExpression& base, const SympyTerm& exponent) {
    constexpr int most = 16;
    const bool isCount = exponent.kind == SympyTerm::Kind::Number && exponent.number >= 1 &&
                         exponent.number <= most && exponent.number == std::trunc(exponent.number);
    if (!isCount) {
        return std::nullopt;
    }
    SymExpression result = base;
    for (int count = 1; count < static_cast<int>(exponent.number); ++count) {
        result = result * base;
    }
    return result;
}

SymExpression callOf(const std::string& name, std::vector<SymExpression> arguments) {
    if (name == "Min" || name == "Max") {
        const auto extreme = name == "Min" ? SymExpression::minimum : SymExpression::maximum;
        return std::accumulate(arguments.begin() + 1, arguments.end(), arguments.front(), extreme);
    }
    if (name == "FloorDiv" && arguments.size() == 2) {
        return SymExpression::floorDivide(arguments[0], arguments[1]);
    }
    if (name.ends_with("Mod") && arguments.size() == 2) {
        return SymExpression::modulo(arguments[0], arguments[1], name == "Mod");
    }
    return SymExpression::call(name, std::move(arguments));
}

std::optional<SymExpression> readTerm(const SympyTerm& term, const SymbolReader& read) {
    if (term.kind == SympyTerm::Kind::Number && term.isFloat) {
        return SymExpression::real(term.number);
    }
    if (term.kind == SympyTerm::Kind::Number) {
        constexpr double pastTheLargest = 0x1p63;
        return std::abs(term.number) < pastTheLargest
                   ? std::optional(SymExpression(static_cast<std::int64_t>(term.number)))
                   : std::nullopt;
    }
    if (term.kind == SympyTerm::Kind::Symbol) {
        return read(term.name);
    }
    std::vector<SymExpression> parts;
    for (const SympyTerm& part : term.parts) {
        auto expression = readTerm(part, read);
        if (!expression) {
            return std::nullopt;
        }
        parts.push_back(*std::move(expression));
    }
    if (term.kind == SympyTerm::Kind::Power) {
        return powerOf(parts[0], term.parts[1]);
    }
    if (term.kind == SympyTerm::Kind::Function) {
        return callOf(term.name, std::move(parts));
    }
    // Multiplied from the right: a leading number would be multiplied out with a sum next to it.
    SymExpression result = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
        result = term.kind == SympyTerm::Kind::Sum ? parts[i] + result : parts[i] * result;
    }
    return result;
}

} // namespace

std::optional<SymExpression> readExpression(std::string_view text, const NumberSymbols& numbers) {
    auto expression =
        readExpression(text, [&](const std::string& name) { return SymExpression::atom(name, numbers); });
    return expression && expression->text() == text ? expression : std::nullopt;
}

std::optional<SymExpression> readExpression(std::string_view text, const SymbolReader& read) {
    const auto term = readSympy(text);
    return term ? readTerm(*term, read) : std::nullopt;
}

} // namespace aotscope::torch
