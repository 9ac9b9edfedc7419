#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// Scaled dot product attention in the variants that have kernels for GPUs only, by the CPU's.
[[nodiscard]] std::span<const Replacement> attentionReplacements();

} // namespace aotscope::torch
