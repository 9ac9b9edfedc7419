#pragma once

#include "torch_headers.h"

/// Operators of PyTorch's `prims` library that Inductor's decompositions leave in a graph. PyTorch registers
/// them from Python; here the dispatcher gets them with the equivalent ATen operators as kernels. Follows
/// torch 2.11, torch/_prims/__init__.py and torch/_inductor/inductor_prims.py.
namespace aotscope::torch::prims {

[[nodiscard]] at::Tensor iota(const c10::SymInt& length, const c10::SymInt& start, const c10::SymInt& step,
                              c10::ScalarType dtype, c10::Device device);
/// Standard normal numbers.
[[nodiscard]] at::Tensor normal(const std::vector<c10::SymInt>& sizes, c10::ScalarType dtype,
                                c10::Device device);
/// Integer division rounds toward zero.
[[nodiscard]] at::Tensor div(const at::Tensor& a, const at::Tensor& b);
/// a * b + c, rounded once.
[[nodiscard]] at::Tensor fma(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c);
[[nodiscard]] at::Tensor convertElementType(const at::Tensor& a, c10::ScalarType dtype);
[[nodiscard]] at::Tensor devicePut(const at::Tensor& a, c10::Device device, bool nonBlocking);
/// A copy with these strides.
[[nodiscard]] at::Tensor copyStrided(const at::Tensor& a, const std::vector<c10::SymInt>& strides);
[[nodiscard]] at::Tensor reversed(const at::Tensor& a, const std::vector<std::int64_t>& dims);
/// The maxima of windows and their offsets within the windows, in eight bits
/// (_low_memory_max_pool_with_offsets).
[[nodiscard]] std::tuple<at::Tensor, at::Tensor>
maxPoolWithOffsets(const at::Tensor& self, const std::vector<c10::SymInt>& kernel,
                   const std::vector<c10::SymInt>& stride, const std::vector<c10::SymInt>& padding,
                   const std::vector<c10::SymInt>& dilation, bool ceilMode);
/// Indices into the input from such offsets (_low_memory_max_pool_offsets_to_indices).
[[nodiscard]] at::Tensor maxPoolIndices(const at::Tensor& offsets, const std::vector<c10::SymInt>& kernel,
                                        const std::vector<c10::SymInt>& inputSize,
                                        const std::vector<c10::SymInt>& stride,
                                        const std::vector<c10::SymInt>& padding,
                                        const std::vector<c10::SymInt>& dilation);
/// The tensor with these strides, which copies it if it has others (inductor_force_stride_order).
[[nodiscard]] at::Tensor forceStrideOrder(const at::Tensor& input, const std::vector<c10::SymInt>& strides);

} // namespace aotscope::torch::prims
