#pragma once

#include "ops/calls.h"

#include <span>
#include <vector>

/// The functions that PyTorch implements in Python, by family; each table is in the source file of that name.
/// Follow torch 2.11, torch/nn/functional.py, torch/functional.py and torch/_tensor.py, function by function.
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

/// A tensor from Python data: nested sequences of numbers and tensors. Without a dtype, one is inferred as
/// torch.tensor does.
[[nodiscard]] at::Tensor dataTensor(const Value& data, std::optional<c10::ScalarType> dtype,
                                    c10::Device device);
/// The index tensor for a list in a subscript.
[[nodiscard]] at::Tensor indexTensor(const Value& data, c10::Device device);

/// A sequence as it is, any other value repeated `count` times (torch/nn/modules/utils.py: _ntuple).
[[nodiscard]] Value repeated(const Value& value, std::size_t count);

} // namespace aotscope::torch::ops
