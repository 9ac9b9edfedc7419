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
    std::optional<SymFunction> function;
    /// Only products need it.
    mutable std::optional<SympyKey> key;
};

SymAtom::SymAtom(std::string text)
    : m_data(std::make_shared<const Data>(Data{std::move(text), std::nullopt, std::nullopt})) {}

SymAtom::SymAtom(std::string text, SymFunction function)
    : m_data(std::make_shared<const Data>(Data{std::move(text), std::move(function), std::nullopt})) {}

const std::string& SymAtom::text() const {
    return m_data->text;
}

const SymFunction* SymAtom::function() const {
    return m_data->function ? &*m_data->function : nullptr;
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
