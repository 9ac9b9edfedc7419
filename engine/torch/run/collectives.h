#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// `_c10d_functional.*` without a process group: computed as if every rank held the same data. Follows torch
/// 2.11, torch/distributed/_functional_collectives.py.
[[nodiscard]] std::span<const Replacement> collectiveReplacements();

} // namespace aotscope::torch
