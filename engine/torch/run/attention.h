#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// The GPU-only variants of scaled dot product attention (flash, memory-efficient, cuDNN), computed by the
/// CPU's flash attention kernel.
[[nodiscard]] std::span<const Replacement> attentionReplacements();

} // namespace aotscope::torch
