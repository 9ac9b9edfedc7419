#pragma once

#include "fake/sym_expression.h"

#include <string_view>

namespace aotscope::torch {

/// Whether a guard holds for every size of at least 2, and so says nothing (0 and 1 are specialized):
/// `Eq(5*s0, 5*s0)`, `Not(Eq(s0*s1, 1))`, `s0 < 4*s0`. Handles relations between products of symbols and
/// numbers; returns false for all others. Unbacked symbols (`u0`) and `numbers` may have any value. Stands in
/// for torch 2.11, torch/fx/experimental/symbolic_shapes.py: ShapeEnv._maybe_evaluate_static.
[[nodiscard]] bool holdsForAllSizes(std::string_view guard, const NumberSymbols& numbers);

} // namespace aotscope::torch
