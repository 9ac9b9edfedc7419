#pragma once

#include "ir/graph.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// Null: there is no argument of that name.
[[nodiscard]] inline const Argument* tryKeyword(const std::vector<KeywordArgument>& kwargs,
                                                std::string_view name) {
    const auto found = std::ranges::find(kwargs, name, &KeywordArgument::name);
    return found == kwargs.end() ? nullptr : &found->value;
}

/// The value of a key in a dictionary; null: there is none, or no dictionary.
[[nodiscard]] inline const Argument* tryEntry(const Argument* dict, const Argument& key) {
    const auto* items = dict == nullptr ? nullptr : dict->as<std::shared_ptr<const DictArgument>>();
    if (items != nullptr) {
        for (const auto& [known, value] : (*items)->items) {
            if (known == key) {
                return &value;
            }
        }
    }
    return nullptr;
}

} // namespace aotscope::ir
