#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// Backwards of normalizations whose saved statistics were traced in a narrower dtype than the CPU's kernels
/// expect.
[[nodiscard]] std::span<const Replacement> normalizationReplacements();

} // namespace aotscope::torch
