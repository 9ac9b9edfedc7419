#pragma once

#include "decompositions/decomposition.h"

#include <array>
#include <optional>
#include <vector>

/// Upsampling as gathers and weighted sums. Follows torch 2.11, torch/_decomp/decompositions.py:
/// _upsample_nearest, _upsample_linear, upsample_bicubic2d_default, upsample_bilinear2d_aa_vec.
namespace aotscope::torch::decomposed {

/// One factor per spatial dimension; nothing where it follows from the sizes.
using Scales = std::vector<std::optional<double>>;

/// `input` is [batch, channels, spatial dimensions…]; `outputSize` lists the spatial sizes of the result.
[[nodiscard]] at::Tensor upsampleNearest(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                         const Scales& scales, bool exact);
[[nodiscard]] at::Tensor upsampleLinear(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                        bool alignCorners, const Scales& scales);
[[nodiscard]] at::Tensor upsampleBicubic(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                         bool alignCorners, const Scales& scales,
                                         const aot::DecompositionRules& rules);

/// The value between the second and the third of four neighbors (_upsample_cubic_interp1d).
[[nodiscard]] at::Tensor cubicInterpolation(const std::array<at::Tensor, 4>& values,
                                            const at::Tensor& fraction);

} // namespace aotscope::torch::decomposed
