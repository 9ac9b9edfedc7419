#include "fake/sym_atoms.h"

#include "fake/sympy_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace aotscope::torch {

struct SymAtom::Data {
    std::string text;
    Sign sign = Sign::Unknown;
    std::optional<SymFunction> function;
    /// Only products need it.
    mutable std::optional<SympyKey> key;
};

namespace {

SymAtom::Sign signOf(const SymFunction& function) {
    using Sign = SymAtom::Sign;
    const auto& arguments = function.arguments;
    const auto each = [&](auto&& of, std::int64_t least) {
        return of(arguments.begin(), arguments.end(),
                  [&](const SymExpression& argument) { return argument.isAtLeast(least); });
    };
    const auto all = [](auto&&... given) { return std::all_of(given...); };
    const auto any = [](auto&&... given) { return std::any_of(given...); };
    const std::string& name = function.name;
    bool nonnegative = name == "Mod";
    bool positive = false;
    if (name == "Max") {
        nonnegative = each(any, 0);
        positive = each(any, 1);
    } else if (name == "Min" || name.empty()) {
        nonnegative = each(all, 0);
        positive = each(all, 1);
    } else if (name == "FloorDiv") {
        nonnegative = each(all, 0);
    } else if (name == "PythonMod") {
        nonnegative = arguments.back().isAtLeast(1);
    }
    return positive ? Sign::Positive : nonnegative ? Sign::Nonnegative : Sign::Unknown;
}

} // namespace

SymAtom::SymAtom(std::string text, const NumberSymbols& numbers) {
    const Sign sign = isSizeSymbol(text, numbers) ? Sign::Positive
                      : numbers.contains(text)    ? Sign::Unknown
                                                  : Sign::Nonnegative;
    m_data = std::make_shared<const Data>(Data{std::move(text), sign, std::nullopt, std::nullopt});
}

SymAtom::SymAtom(std::string text, SymFunction function) {
    const Sign sign = signOf(function);
    m_data = std::make_shared<const Data>(Data{std::move(text), sign, std::move(function), std::nullopt});
}

const std::string& SymAtom::text() const {
    return m_data->text;
}

const SymFunction* SymAtom::function() const {
    return m_data->function ? &*m_data->function : nullptr;
}

SymAtom::Sign SymAtom::sign() const {
    return m_data->sign;
}

const SympyKey& SymAtom::key() const {
    if (!m_data->key) {
        m_data->key = sympyKey(m_data->text);
    }
    return *m_data->key;
}

std::strong_ordering operator<=>(const SymAtom& left, const SymAtom& right) {
    return left.m_data == right.m_data ? std::strong_ordering::equal : left.text() <=> right.text();
}

bool isSum(const SymAtom& atom) {
    const SymFunction* function = atom.function();
    return function != nullptr && function->name.empty();
}

bool isWeak(const SymAtom& atom) {
    constexpr std::array<std::string_view, 5> names = {"FloorDiv", "Mod", "PythonMod", "IntTrueDiv",
                                                       "FloatTrueDiv"};
    const SymFunction* function = atom.function();
    return function != nullptr && std::find(names.begin(), names.end(), function->name) != names.end();
}

bool isStrong(const SymAtom& atom) {
    const SymFunction* function = atom.function();
    return function == nullptr || function->name == "Max" || function->name == "Min";
}

} // namespace aotscope::torch
