#include "fake/sym_atoms.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace aotscope::torch {

namespace {

std::map<std::string, SymFunction>& functions() {
    thread_local std::map<std::string, SymFunction> known;
    return known;
}

} // namespace

const SymFunction* functionOf(const std::string& atom) {
    const auto found = functions().find(atom);
    return found == functions().end() ? nullptr : &found->second;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved, which the check does not see.
SymExpression functionAtom(std::string text, SymFunction function) {
    functions().try_emplace(text, std::move(function));
    return SymExpression::atom(std::move(text));
}

bool isSum(const std::string& atom) {
    const SymFunction* function = functionOf(atom);
    return function != nullptr && function->name.empty();
}

bool isWeak(const std::string& atom) {
    constexpr std::array<std::string_view, 5> names = {"FloorDiv", "Mod", "PythonMod", "IntTrueDiv",
                                                       "FloatTrueDiv"};
    const SymFunction* function = functionOf(atom);
    return function != nullptr && std::find(names.begin(), names.end(), function->name) != names.end();
}

bool isStrong(const std::string& atom) {
    const SymFunction* function = functionOf(atom);
    return function == nullptr || function->name == "Max" || function->name == "Min";
}

} // namespace aotscope::torch
