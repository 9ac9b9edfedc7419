#include "ir/symbolic/terms.h"

#include "ir/python_literal.h"

#include "base/characters.h"
#include "base/formatted.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace aotscope::ir {

std::string sympyFloat(double number) {
    constexpr int digits = 15;
    const std::string scientific = base::formatted("%.*e", digits - 1, number);
    const std::size_t at = scientific.find('e');
    if (at == std::string::npos) {
        return pythonFloat(number);
    }
    const int exponent = std::stoi(scientific.substr(at + 1));
    if (exponent <= -5 || exponent >= digits) {
        return scientific.substr(0, at) + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    }
    return base::formatted("%.*f", std::max(digits - 1 - exponent, 1), number);
}

std::string SymNumber::text() const {
    if (!m_isReal) {
        return std::to_string(m_whole);
    }
    // Inside a larger expression, without trailing zeros.
    const std::string decimal = sympyFloat(m_real);
    const std::size_t end = std::min(decimal.find('e'), decimal.size());
    std::string digits = decimal.substr(0, end);
    digits.erase(digits.find_last_not_of('0') + 1);
    return (digits.ends_with('.') ? digits + "0" : digits) + decimal.substr(end);
}

std::strong_ordering operator<=>(const SymNumber& left, const SymNumber& right) {
    if (left.m_isReal != right.m_isReal) {
        return left.m_isReal <=> right.m_isReal;
    }
    return left.m_isReal ? std::strong_order(left.m_real, right.m_real) : left.m_whole <=> right.m_whole;
}

SymNumber operator+(const SymNumber& left, const SymNumber& right) {
    std::int64_t whole = 0;
    return left.m_isReal || right.m_isReal || __builtin_add_overflow(left.m_whole, right.m_whole, &whole)
               ? SymNumber::real(left.value() + right.value())
               : SymNumber(whole);
}

SymNumber operator*(const SymNumber& left, const SymNumber& right) {
    std::int64_t whole = 0;
    return left.m_isReal || right.m_isReal || __builtin_mul_overflow(left.m_whole, right.m_whole, &whole)
               ? SymNumber::real(left.value() * right.value())
               : SymNumber(whole);
}

struct SymAtom::Data {
    SymExpr written;
    Sign sign = Sign::Unknown;
    std::optional<SymCall> function;
};

namespace {

SymAtom::Sign signOf(const SymCall& function) {
    using Sign = SymAtom::Sign;
    const auto& arguments = function.arguments;
    const auto isAtLeast = [](std::int64_t least) {
        return [least](const SymExpr& argument) { return argument.isAtLeast(least); };
    };
    const std::string& name = function.name;
    bool nonnegative = name == "Mod";
    bool positive = false;
    if (name == "Max") {
        nonnegative = std::ranges::any_of(arguments, isAtLeast(0));
        positive = std::ranges::any_of(arguments, isAtLeast(1));
    } else if (name == "Min" || name.empty()) {
        nonnegative = std::ranges::all_of(arguments, isAtLeast(0));
        positive = std::ranges::all_of(arguments, isAtLeast(1));
    } else if (name == "FloorDiv") {
        nonnegative = std::ranges::all_of(arguments, isAtLeast(0));
    } else if (name == "PythonMod") {
        nonnegative = arguments.back().isAtLeast(1);
    }
    return positive ? Sign::Positive : nonnegative ? Sign::Nonnegative : Sign::Unknown;
}

} // namespace

bool isSizeSymbol(std::string_view name, const NumberSymbols& numbers) {
    return name.size() > 1 && name.front() == 's' &&
           std::all_of(name.begin() + 1, name.end(), base::isDigit) && !numbers.contains(name);
}

SymAtom::SymAtom(std::string_view text, const NumberSymbols& numbers) {
    const Sign sign = isSizeSymbol(text, numbers) ? Sign::Positive
                      : numbers.contains(text)    ? Sign::Unknown
                                                  : Sign::Nonnegative;
    m_data = std::make_shared<const Data>(Data{SymExpr(text), sign, std::nullopt});
}

SymAtom::SymAtom(std::string_view text, SymCall function) {
    const Sign sign = signOf(function);
    m_data = std::make_shared<const Data>(Data{SymExpr(text), sign, std::move(function)});
}

const SymExpr& SymAtom::written() const {
    return m_data->written;
}

const SymCall* SymAtom::function() const {
    return m_data->function ? &*m_data->function : nullptr;
}

SymAtom::Sign SymAtom::sign() const {
    return m_data->sign;
}

std::strong_ordering operator<=>(const SymAtom& left, const SymAtom& right) {
    if (left.m_data == right.m_data) {
        return std::strong_ordering::equal;
    }
    const auto texts = left.text() <=> right.text();
    const SymCall* function = left.function();
    const SymCall* other = right.function();
    if (std::is_neq(texts) || function == nullptr || other == nullptr ||
        left.text().find('.') == std::string::npos) {
        return texts;
    }
    return std::lexicographical_compare_three_way(
        function->arguments.begin(), function->arguments.end(), other->arguments.begin(),
        other->arguments.end(), [](const SymExpr& one, const SymExpr& another) -> std::strong_ordering {
            const std::map<SymMonomial, SymNumber>& terms = one.terms();
            const std::map<SymMonomial, SymNumber>& others = another.terms();
            return terms <=> others;
        });
}

SymTerms::SymTerms(const SymNumber& number) {
    emplace(SymMonomial(), number);
}

void SymTerms::add(const SymMonomial& monomial, const SymNumber& coefficient) {
    SymNumber& sum = (*this)[monomial];
    sum = sum + coefficient;
    if (sum.isZero()) {
        erase(monomial);
    }
}

const SymAtom* SymTerms::loneAtom() const {
    if (size() != 1 || !begin()->second.isWhole(1)) {
        return nullptr;
    }
    const SymMonomial& monomial = begin()->first;
    return monomial.size() == 1 && monomial.begin()->second == 1 ? &monomial.begin()->first : nullptr;
}

} // namespace aotscope::ir
