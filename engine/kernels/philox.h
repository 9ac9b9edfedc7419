#pragma once

#include <array>
#include <cstdint>

/// The random numbers of CUDA's generators, which a seed and an offset name completely: Philox 4x32-10, by
/// Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3". The prelude of kernels has
/// the same as CUDA C++.
namespace aotscope::kernels {

[[nodiscard]] std::array<std::uint32_t, 4> philoxWords(std::uint64_t seed, std::uint64_t subsequence,
                                                       std::uint64_t offset);

/// How many threads fill a tensor of so many random numbers on an H100, which decides which number an element
/// gets. Devices with fewer multiprocessors give other numbers from where all of theirs are busy (an A100
/// from 221 184 elements on).
[[nodiscard]] std::int64_t philoxThreads(std::int64_t elements);
/// By how much filling the tensor moves the generator's offset.
[[nodiscard]] std::int64_t philoxOffsetStep(std::int64_t elements);
/// Element `index` of a float32 tensor that torch.rand fills. Follows torch 2.11,
/// aten/src/ATen/native/cuda/DistributionTemplates.h: distribution_nullary_kernel, uniform_kernel.
[[nodiscard]] float philoxUniform(std::int64_t seed, std::int64_t offset, std::int64_t index,
                                  std::int64_t threads);

} // namespace aotscope::kernels
