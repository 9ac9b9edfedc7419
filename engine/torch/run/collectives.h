#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// `_c10d_functional.*` (torch/distributed/_functional_collectives.py) without a process group: computed as
/// if every rank held the same data.
[[nodiscard]] std::span<const Replacement> collectiveReplacements();

} // namespace aotscope::torch
