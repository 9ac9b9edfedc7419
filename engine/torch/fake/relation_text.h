#pragma once

#include "fake/shape_fact.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// A relation as it is written, taken apart.
struct RelationSides {
    SymbolRelation::Kind kind = SymbolRelation::Kind::Equal;
    std::string_view left;
    std::string_view right;
};

/// Takes apart `Eq(a, b)`, `a < b`, and either inside `Not(…)`; the sides are what lies left and right of it.
[[nodiscard]] std::optional<RelationSides> relationSides(std::string_view text);

} // namespace aotscope::torch
