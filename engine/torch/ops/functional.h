#pragma once

#include "ops/calls.h"

#include <span>
#include <vector>

/// The functions of PyTorch's Python code, by family; each table is in the source file of its name.
namespace aotscope::torch::ops {

using FunctionFamily = std::span<const PythonFunction>;

[[nodiscard]] FunctionFamily activationFunctions();
[[nodiscard]] FunctionFamily attentionFunctions();
[[nodiscard]] FunctionFamily creationFunctions();
[[nodiscard]] FunctionFamily lossFunctions();
[[nodiscard]] FunctionFamily normalizationFunctions();
[[nodiscard]] FunctionFamily poolingFunctions();
[[nodiscard]] FunctionFamily resamplingFunctions();
[[nodiscard]] FunctionFamily sparseFunctions();
[[nodiscard]] FunctionFamily stateFunctions();
[[nodiscard]] FunctionFamily tensorMethods();
[[nodiscard]] FunctionFamily torchFunctions();
[[nodiscard]] FunctionFamily transformFunctions();

[[nodiscard]] std::vector<FunctionFamily> functionFamilies();

/// A tensor of Python data: numbers in nested sequences, or other tensors among them.
[[nodiscard]] at::Tensor dataTensor(const Value& data, std::optional<c10::ScalarType> dtype,
                                    c10::Device device);
/// The index tensor that a list in a subscript means.
[[nodiscard]] at::Tensor indexTensor(const Value& data, c10::Device device);

/// A value as a list of `count`, a lone one repeated (torch.nn.modules.utils' _single, _pair, _triple).
[[nodiscard]] Value repeated(const Value& value, std::size_t count);

} // namespace aotscope::torch::ops
