#pragma once

#include "decompositions/decomposition.h"

#include <array>
#include <optional>
#include <vector>

/// Resampling written out as gathers and weighted sums, after PyTorch's decompositions.
namespace aotscope::torch {

/// One factor for each spatial dimension, nothing where the sizes decide.
using Scales = std::vector<std::optional<double>>;

[[nodiscard]] at::Tensor upsampleNearest(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                         const Scales& scales, bool exact);
[[nodiscard]] at::Tensor upsampleLinear(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                        bool alignCorners, const Scales& scales);
[[nodiscard]] at::Tensor upsampleBicubic(const at::Tensor& input, const std::vector<c10::SymInt>& outputSize,
                                         bool alignCorners, const Scales& scales);

/// The value between the second and the third of four neighbours.
[[nodiscard]] at::Tensor cubicInterpolation(const std::array<at::Tensor, 4>& values,
                                            const at::Tensor& fraction);

/// The overloads `.vec`, which take a size or factors, and the others, for every kind of resampling.
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
