#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// `quantized_decomposed.*`, which torch.ao registers from Python: numbers of few bits and the scales that go
/// with them, by ATen operators.
[[nodiscard]] std::span<const Replacement> quantizedReplacements();

} // namespace aotscope::torch
