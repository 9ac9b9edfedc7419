#pragma once

#include "ops/calls.h"

#include <span>
#include <vector>

/// The functions that PyTorch implements in Python, by family; each table is in the source file of that name.
/// Follow torch 2.11, torch/nn/functional.py, torch/functional.py and torch/_tensor.py, function by function.
namespace aotscope::torch::ops {

using FunctionFamily = std::span<const PythonFunction>;

extern const FunctionFamily activationFunctions, attentionFunctions, creationFunctions, lossFunctions,
    normalizationFunctions, numpyFunctions, numpyReductions, numpyShapeFunctions, numpyUfuncs,
    poolingFunctions, resamplingFunctions, sparseFunctions, stateFunctions, tensorMethods, torchFunctions,
    transformFunctions;

/// A tensor from Python data: nested sequences of numbers and tensors. Without a dtype, one is inferred as
/// torch.tensor does.
[[nodiscard]] at::Tensor dataTensor(const Value& data, std::optional<c10::ScalarType> dtype,
                                    c10::Device device);
/// The dtype that is inferred. `real`: of floats and of empty sequences; without it PyTorch's default.
[[nodiscard]] c10::ScalarType inferredType(const Value& data, std::optional<c10::ScalarType> real = {});
/// The index tensor for a list in a subscript.
[[nodiscard]] at::Tensor indexTensor(const Value& data, c10::Device device);

/// The only argument if it is a sequence, else the variadic arguments: `x.reshape((2, 3))`, `x.reshape(2,
/// 3)`.
[[nodiscard]] Value listOrArguments(const Value& arguments);
/// The last `dims` sizes of a tensor, each times its factor, as integers.
[[nodiscard]] Value scaledSizes(Calls& call, const at::Tensor& tensor, const Value& factors,
                                std::size_t dims);
/// The number of a function's mode, as ATen's enum numbers the names. Throws RunFailure for another name.
[[nodiscard]] std::int64_t modeNumber(const Bound& args, std::string_view parameter,
                                      std::initializer_list<std::string_view> modes);
/// A sequence as it is, any other value repeated `count` times (torch/nn/modules/utils.py: _ntuple).
[[nodiscard]] Value repeated(const Value& value, std::size_t count);

} // namespace aotscope::torch::ops
