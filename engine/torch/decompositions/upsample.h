#pragma once

#include "decompositions/decomposition.h"

#include <array>
#include <optional>
#include <vector>

/// Upsampling as gathers and weighted sums. Follows torch 2.11, torch/_decomp/decompositions.py:
/// _upsample_nearest, _upsample_linear, upsample_bicubic2d_default, upsample_bilinear2d_aa_vec.
namespace aotscope::torch {

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

/// For every kind of upsampling, the overload `.vec`, which takes a size or factors, and the others.
Decomposed upsampleNearestVec(const DecompositionCall& call);
Decomposed upsampleNearestExactVec(const DecompositionCall& call);
Decomposed upsampleLinearVec(const DecompositionCall& call);
Decomposed upsampleBicubicVec(const DecompositionCall& call);
Decomposed upsampleNearestSized(const DecompositionCall& call);
Decomposed upsampleNearestExactSized(const DecompositionCall& call);
Decomposed upsampleLinearSized(const DecompositionCall& call);
Decomposed upsampleBicubicSized(const DecompositionCall& call);
Decomposed upsampleBilinearAntialiasVec(const DecompositionCall& call);
Decomposed upsampleBicubicAntialiasVec(const DecompositionCall& call);

} // namespace aotscope::torch
