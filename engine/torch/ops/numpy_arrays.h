#pragma once

#include "ops/functional.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

/// NumPy as PyTorch runs it on tensors (torch/_numpy of 2.11): what all of its functions share. Dynamo writes
/// a call as `torch__dynamo_utils_wrapped_sqrt(x)`; arrays are tensors everywhere here.
namespace aotscope::torch::ops::numpy {

/// "numpy.sqrt" of the function that Dynamo prints as "torch__dynamo_utils_wrapped_sqrt", or, where a graph
/// has two of one name, "…_sqrt_1"; nothing for other targets.
[[nodiscard]] const PythonFunction* findFunction(std::string_view target);

/// torch._numpy.asarray: a tensor as it is, a number or nested sequences as NumPy's default dtypes have them.
[[nodiscard]] at::Tensor asArray(Calls& call, const Value& value);
[[nodiscard]] std::vector<at::Tensor> asArrays(Calls& call, const Value& sequence);
[[nodiscard]] Value asList(const std::vector<at::Tensor>& arrays);

/// 'float32', torch.float32, float: any of NumPy's names of a dtype; nothing for None. Throws RunFailure.
[[nodiscard]] std::optional<c10::ScalarType> dtypeOf(const Value& value);
/// _util.cast_if_needed
[[nodiscard]] at::Tensor cast(Calls& call, const at::Tensor& array, std::optional<c10::ScalarType> dtype);
/// Integers and bools as NumPy's default float (_util.cast_int_to_float).
[[nodiscard]] at::Tensor castToFloat(Calls& call, const at::Tensor& array);
/// The dtype that NumPy gives a result of these (_dtypes_impl.result_type_impl): unlike PyTorch's it depends
/// on how many bits an integer has.
[[nodiscard]] c10::ScalarType resultType(const std::vector<at::Tensor>& arrays);
/// All in their result type.
[[nodiscard]] std::vector<at::Tensor> promoted(Calls& call, std::vector<at::Tensor> arrays,
                                               std::optional<c10::ScalarType> dtype = {});

/// Axes of an int or a tuple, none of them negative. Throws RunFailure where one is out of bounds.
[[nodiscard]] std::vector<std::int64_t> axesOf(const Value& axis, std::int64_t dims);
[[nodiscard]] std::int64_t axisOf(const Value& axis, std::int64_t dims);
/// Flattened and axis 0 where `axis` is None (_util.axis_none_flatten).
[[nodiscard]] std::pair<at::Tensor, std::int64_t> alongAxis(Calls& call, const at::Tensor& array,
                                                            const Value& axis);

/// The result copied into `out` where that is given (maybe_copy_to).
[[nodiscard]] Value intoOut(Calls& call, const Value& out, const Value& result);

} // namespace aotscope::torch::ops::numpy

namespace aotscope::torch::ops {

[[nodiscard]] FunctionFamily numpyUfuncs();
[[nodiscard]] FunctionFamily numpyReductions();
[[nodiscard]] FunctionFamily numpyShapeFunctions();
[[nodiscard]] FunctionFamily numpyFunctions();

} // namespace aotscope::torch::ops
