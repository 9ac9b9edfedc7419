#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// Backwards of normalizations that were traced with saved statistics in a narrower dtype than the CPU's
/// kernels save and expect.
[[nodiscard]] std::span<const Replacement> normalizationReplacements();

} // namespace aotscope::torch
