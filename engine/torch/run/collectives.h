#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// `_c10d_functional.*` without a process group: as if every rank held the data of this one.
[[nodiscard]] std::span<const Replacement> collectiveReplacements();

} // namespace aotscope::torch
