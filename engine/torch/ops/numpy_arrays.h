#pragma once

#include "ops/functional.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

/// NumPy on tensors: the helpers that all functions share. Follows torch 2.11, torch/_numpy/_util.py,
/// _normalizations.py and _dtypes_impl.py. Dynamo writes a call as `torch__dynamo_utils_wrapped_sqrt(x)`.
/// Every array is a tensor. All functions throw RunFailure.
namespace aotscope::torch::ops::numpy {

/// The function "numpy.sqrt" for Dynamo's target "torch__dynamo_utils_wrapped_sqrt", or "…_sqrt_1" where a
/// graph has two functions of that name; null for other targets.
[[nodiscard]] const PythonFunction* findFunction(std::string_view target);
/// The target of the method that writes to its array, where Dynamo has the name of a function for it too
/// (`x.sort()`); `target` itself where there is none.
[[nodiscard]] std::string methodTarget(const std::string& target);

/// torch._numpy.asarray: a tensor stays as it is, numbers and nested sequences become tensors of NumPy's
/// default dtypes.
[[nodiscard]] at::Tensor asArray(Calls& call, const Value& value);
/// The same for anything but a number, which stays one.
[[nodiscard]] Value asOperand(Calls& call, const Value& value);
[[nodiscard]] std::vector<at::Tensor> asArrays(Calls& call, const Value& sequence);
[[nodiscard]] Value asList(const std::vector<at::Tensor>& arrays);

/// A dtype by any of its names: 'float32', torch.float32, float. Nullopt for None.
[[nodiscard]] std::optional<c10::ScalarType> dtypeOf(const Value& value);
/// The dtype that NumPy gives Python data: a number, or what torch.as_tensor takes.
[[nodiscard]] c10::ScalarType typeOf(const Value& data);
/// The array in that dtype; itself for nullopt (_util.cast_if_needed).
[[nodiscard]] at::Tensor cast(Calls& call, const at::Tensor& array, std::optional<c10::ScalarType> dtype);
/// Integers and bools become NumPy's default float (_util.cast_int_to_float).
[[nodiscard]] at::Tensor castToFloat(Calls& call, const at::Tensor& array);
/// NumPy's result dtype for these arrays (_dtypes_impl.result_type_impl). Unlike PyTorch's, it depends on the
/// width of integers.
[[nodiscard]] c10::ScalarType resultType(const std::vector<at::Tensor>& arrays);
/// All cast to `dtype`, or to their common result type.
[[nodiscard]] std::vector<at::Tensor> promoted(Calls& call, std::vector<at::Tensor> arrays,
                                               std::optional<c10::ScalarType> dtype = {});

/// The axes of an int or a tuple, negative ones wrapped. Throws RunFailure when one is out of bounds.
[[nodiscard]] std::vector<std::int64_t> axesOf(const Value& axis, std::int64_t dims);
[[nodiscard]] std::int64_t axisOf(const Value& axis, std::int64_t dims);
/// The array's sizes with ones at these axes of the result.
[[nodiscard]] Value sizesWithOnes(const at::Tensor& array, const Value& axes);
/// The array and the axis; the flattened array and 0 when `axis` is None (_util.axis_none_flatten).
[[nodiscard]] std::pair<at::Tensor, std::int64_t> alongAxis(Calls& call, const at::Tensor& array,
                                                            const Value& axis);

/// The result, or, unless `out` is None, `out` with the result copied into it
/// (_normalizations.maybe_copy_to).
[[nodiscard]] Value intoOut(Calls& call, const Value& out, const Value& result);

/// The body of a function that calls torch.OP on one array and plain arguments.
template<FixedText Op, FixedText Array, FixedText... Others>
Value onArray(Calls& call, const Bound& args) {
    return call.torch(operatorOf<Op>(args), {asArray(call, args[Array.view()]), args[Others.view()]...});
}
} // namespace aotscope::torch::ops::numpy
