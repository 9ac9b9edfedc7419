#pragma once

#include "aot/retrace.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// What becomes of an operator that one of PyTorch's tables decomposes.
enum class DecompositionSource : std::uint8_t {
    /// A decomposition of ours.
    Ours,
    /// LibTorch's composite kernel, which makes the calls.
    Composite,
    /// In place or into a given tensor: functionalization has replaced it before the table is asked.
    Functionalized,
    /// Recorded as it is: the traced graph differs from PyTorch's where it occurs.
    Missing
};

[[nodiscard]] std::string_view decompositionSourceName(DecompositionSource source);

struct DecompositionCoverage {
    /// "aten::addcmul", "aten::all.dim"
    std::string op;
    DecompositionSource source = DecompositionSource::Missing;
};

/// Every overload that the wheel's own table decomposes, sorted by name.
[[nodiscard]] std::vector<DecompositionCoverage> decompositionCoverage(aot::DecompositionTable table);

/// Operators that our table decomposes and the wheel's does not: always a mistake of ours.
[[nodiscard]] std::vector<std::string> decompositionsWithoutOrigin(aot::DecompositionTable table);

} // namespace aotscope::torch
