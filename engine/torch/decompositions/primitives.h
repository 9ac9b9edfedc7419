#pragma once

#include "torch_headers.h"

/// Operators of PyTorch's `prims` library that Inductor's decompositions leave in a graph. PyTorch registers
/// them from Python; the trace needs them in the dispatcher, with kernels by the ATen operators that do the
/// same.
namespace aotscope::torch::prims {

[[nodiscard]] at::Tensor iota(const c10::SymInt& length, const c10::SymInt& start, const c10::SymInt& step,
                              c10::ScalarType dtype, c10::Device device);
/// Standard normal numbers.
[[nodiscard]] at::Tensor normal(const std::vector<c10::SymInt>& sizes, c10::ScalarType dtype,
                                c10::Device device);
/// Whole numbers are divided toward zero.
[[nodiscard]] at::Tensor div(const at::Tensor& a, const at::Tensor& b);
/// a * b + c, rounded once.
[[nodiscard]] at::Tensor fma(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c);
[[nodiscard]] at::Tensor convertElementType(const at::Tensor& a, c10::ScalarType dtype);
[[nodiscard]] at::Tensor devicePut(const at::Tensor& a, c10::Device device, bool nonBlocking);
[[nodiscard]] at::Tensor reversed(const at::Tensor& a, const std::vector<std::int64_t>& dims);
/// Values and offsets within each window, in eight bits.
[[nodiscard]] std::tuple<at::Tensor, at::Tensor>
maxPoolWithOffsets(const at::Tensor& self, const std::vector<c10::SymInt>& kernel,
                   const std::vector<c10::SymInt>& stride, const std::vector<c10::SymInt>& padding,
                   const std::vector<c10::SymInt>& dilation, bool ceilMode);
[[nodiscard]] at::Tensor maxPoolIndices(const at::Tensor& offsets, const std::vector<c10::SymInt>& kernel,
                                        const std::vector<c10::SymInt>& inputSize,
                                        const std::vector<c10::SymInt>& stride,
                                        const std::vector<c10::SymInt>& padding,
                                        const std::vector<c10::SymInt>& dilation);

} // namespace aotscope::torch::prims
