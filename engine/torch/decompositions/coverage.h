#pragma once

#include "aot/retrace.h"

#include "base/describe.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// What a trace does with an operator that one of PyTorch's tables decomposes.
enum class DecompositionSource : std::uint8_t {
    /// A decomposition of ours.
    Ours,
    /// LibTorch's composite kernel decomposes it.
    Composite,
    /// It writes to an argument, so functionalization replaces it before the table is used.
    Functionalized,
    /// Recorded as it is: the traced graph differs from PyTorch's where it occurs.
    Missing
};
AOTSCOPE_WORDS(DecompositionSource, "ours", "C++ composite", "functionalized", "missing")

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
