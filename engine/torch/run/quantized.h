#pragma once

#include "run/replacements.h"

#include <span>

namespace aotscope::torch {

/// `quantized_decomposed.*`, which torch.ao registers from Python: quantization and dequantization, computed
/// by ATen operators. Follows torch 2.11, torch/ao/quantization/fx/_decomposed.py.
[[nodiscard]] std::span<const Replacement> quantizedReplacements();

} // namespace aotscope::torch
