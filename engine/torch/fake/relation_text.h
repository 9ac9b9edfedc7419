#pragma once

#include "fake/shape_fact.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// A relation split into its parts.
struct RelationSides {
    SymbolRelation::Kind kind = SymbolRelation::Kind::Equal;
    std::string_view left;
    std::string_view right;
};

/// Splits `Eq(a, b)`, `a < b`, and either of them inside `Not(…)`; nothing for any other text. Both sides
/// point into `text`.
[[nodiscard]] std::optional<RelationSides> relationSides(std::string_view text);

} // namespace aotscope::torch
