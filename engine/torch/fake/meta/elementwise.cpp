#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/result_type.h>
#include <c10/core/DefaultDtype.h>

#include <array>

namespace aotscope::torch::shapes {

namespace {

/// For references that first compute with one broadcast operand alone: the result has its layout.
at::Tensor ledBy(const at::Tensor& leader, std::span<const at::Tensor> operands,
                 std::optional<c10::ScalarType> dtype = std::nullopt) {
    const at::Tensor plain = elementwise(operands, dtype);
    return emptyLikeBroadcast(leader, plain.sizes(), plain.scalar_type());
}

/// A copy keeps the strides of a dense tensor.
at::Tensor copyOf(const at::Tensor& self) {
    return self.dim() > 1 && self.is_non_overlapping_and_dense()
               ? newStrided(self, self.sizes(), self.strides())
               : emptyLike(self);
}

/// Float division first tests the divisor for zero, so its layout wins; integer division does not.
at::Tensor floorDivided(std::span<const at::Tensor> operands) {
    const at::Tensor plain = elementwise(operands);
    return c10::isIntegralType(plain.scalar_type(), true) ? plain : ledBy(operands[1], operands);
}

} // namespace

ShapeResults oneValue(const ShapeCall& call) {
    return {newEmpty(call.firstTensor(), {})};
}

/// An elementwise result of all tensor arguments.
ShapeResults promoted(const ShapeCall& call) {
    return {elementwise(call.allTensors())};
}

ShapeResults sameType(const ShapeCall& call) {
    const std::array operands = {call.firstTensor()};
    return {elementwise(operands, operands[0].scalar_type())};
}

ShapeResults floatOfFirst(const ShapeCall& call) {
    const std::array operands = {call.firstTensor()};
    return {elementwise(operands, floatTypeOf(operands[0].scalar_type()))};
}

ShapeResults boolOfFirst(const ShapeCall& call) {
    return {elementwise({call.firstTensor()}, c10::kBool)};
}

ShapeResults angle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyLike(self, floatTypeOf(c10::toRealValueType(self.scalar_type())))};
}

/// In-place operators return their first argument.
ShapeResults itself(const ShapeCall& call) {
    return {call.arguments()[0]};
}

ShapeResults nothing(const ShapeCall& /*call*/) {
    return {};
}

ShapeResults whereSelf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("other");
    return {elementwise({call.tensor("condition"), self, other}, elementwise({self, other}).scalar_type())};
}

ShapeResults nativeDropout(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const bool drops = (!call.has("train") || call.flag("train")) && call.number("p") != 0;
    TORCH_CHECK(!drops || call.number("p") == 1 || c10::isFloatingType(input.scalar_type()) ||
                    c10::isComplexType(input.scalar_type()),
                "result type Float can't be cast to the desired output type ", input.scalar_type());
    return {emptyLike(input), emptyLike(input, c10::kBool)};
}

ShapeResults remainderOfNumber(const ShapeCall& call) {
    const at::Tensor other = call.tensor("other");
    return {emptyLike(other, at::result_type(call.value("self").toScalar(), other))};
}

ShapeResults depToken(const ShapeCall& call) {
    return {call.value("dep_token")};
}

ShapeResults preluBackward(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("grad_output"), call.tensor("weight")};
    const at::Tensor result = elementwise(operands);
    return {result, elementwise(operands)};
}

/// Gradients that are selected by the values of the input: its layout comes before the gradient's.
ShapeResults bySelf(const ShapeCall& call) {
    const std::vector<at::Tensor> tensors = call.allTensors();
    const at::Tensor& grad = tensors[0];
    return {elementwise({tensors[1], newEmpty(grad, {}), grad})};
}

ShapeResults logSoftmaxBackward(const ShapeCall& call) {
    return {elementwise({call.tensor("grad_output"), call.tensor("output")}, call.dtype("input_dtype"))};
}

ShapeResults contiguousFloatOfFirst(const ShapeCall& call) {
    const at::Tensor self = call.firstTensor();
    return {emptyContiguous(self, floatTypeOf(self.scalar_type()))};
}

ShapeResults gluBackward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
    const std::int64_t half = self.size(dim) / 2;
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor first = self.narrow(dim, 0, half);
    const at::Tensor gate = self.narrow(dim, half, half);
    return {at::cat({elementwise({gate, grad}), elementwise({gate, first, grad})}, dim)};
}

ShapeResults dropoutBackward(const ShapeCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    // The mask is converted to the gradient's dtype, and the scale is a float.
    const c10::ScalarType type = floatTypeOf(grad.scalar_type());
    return {newEmpty(grad, grad.sizes(), grad.suggest_memory_format(), type)};
}

/// A power of 1 is a copy, which keeps the strides of a dense tensor.
ShapeResults power(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar exponent = call.value("exponent").toScalar();
    const c10::ScalarType type = at::result_type(self, exponent);
    const bool copies = !exponent.isComplex() && exponent.toDouble() == 1 && type == self.scalar_type();
    return {copies ? copyOf(self) : emptyLike(self, type)};
}

/// The reference first tests the second operand for NaN, so its layout comes first.
ShapeResults timesLogarithm(const ShapeCall& call) {
    const std::array operands = {call.tensor("other"), call.tensor("self")};
    return {elementwise(operands, floatTypeOf(elementwise(operands).scalar_type()))};
}

ShapeResults ledByFirst(const ShapeCall& call) {
    const std::vector<at::Tensor> operands = call.allTensors();
    return {ledBy(operands.front(), operands)};
}

/// Operands that are not bool are compared with 0 first.
ShapeResults toBool(const ShapeCall& call) {
    const std::vector<at::Tensor> operands = call.allTensors();
    return {operands.front().scalar_type() == c10::kBool ? elementwise(operands, c10::kBool)
                                                         : ledBy(operands.front(), operands, c10::kBool)};
}

ShapeResults copySign(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("other")};
    return {ledBy(operands[1], operands, floatTypeOf(elementwise(operands).scalar_type()))};
}

/// ldexp: the first operand times 2 to the power of the second, where 2 has the first one's type.
ShapeResults timesPowerOfTwo(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor two = newStrided(self, {}, {}, floatTypeOf(self.scalar_type()));
    const std::array power = {two, call.tensor("other")};
    return {elementwise({self, elementwise(power)})};
}

ShapeResults floorDivide(const ShapeCall& call) {
    return {floorDivided(call.allTensors())};
}

ShapeResults divideInMode(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("other")};
    if (!call.has("rounding_mode")) {
        return {elementwise(operands, floatTypeOf(elementwise(operands).scalar_type()))};
    }
    return {call.text("rounding_mode") == "floor" ? floorDivided(operands) : elementwise(operands)};
}

ShapeResults absolute(const ShapeCall& call) {
    const std::array operands = {call.tensor("self")};
    return {elementwise(operands, c10::toRealValueType(operands[0].scalar_type()))};
}

ShapeResults complexOfParts(const ShapeCall& call) {
    const std::vector<at::Tensor> parts = call.allTensors();
    return {elementwise(parts, complexTypeOf(parts.front().scalar_type()))};
}

ShapeResults frexp(const ShapeCall& call) {
    const std::array operands = {call.tensor("self")};
    return {elementwise(operands, operands[0].scalar_type()), elementwise(operands, c10::kInt)};
}

/// The layout of `self`, its storage offset included, whatever is copied into it.
ShapeResults copied(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newStrided(self, self.sizes(), self.strides())
                .as_strided(self.sizes(), self.strides(), self.storage_offset())};
}

/// `Tensor.clone(memory_format)`: a dense tensor keeps its strides.
ShapeResults cloned(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::MemoryFormat format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    if (format != c10::MemoryFormat::Preserve) {
        return {newEmpty(self, self.sizes(), format)};
    }
    return {copyOf(self)};
}

/// The mask selects between a value and `self`; the result is then contiguous.
ShapeResults maskedFill(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor chosen = elementwise({call.tensor("mask"), self}, self.scalar_type());
    return {chosen.is_contiguous() ? chosen : emptyContiguous(chosen)};
}

ShapeResults maskedScatterBackward(const ShapeCall& call) {
    return {newEmpty(call.tensor("grad_output"), call.integers("sizes"))};
}

ShapeResults safeSoftmax(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyContiguous(self, call.dtype().value_or(self.scalar_type()))};
}

/// As `self`, in the memory format that it suggests.
ShapeResults inFormatOfSelf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, self.sizes(), self.suggest_memory_format())};
}

/// The result is the last argument; it is not resized here.
ShapeResults intoOut(const ShapeCall& call) {
    return {call.arguments().back()};
}

/// Numbers between two ends, which may be zero-dimensional tensors.
ShapeResults steps(const ShapeCall& call) {
    return {newEmpty({call.integer("steps")}, call.dtype().value_or(c10::get_default_dtype_as_scalartype()))};
}

/// `torch.empty_like`
ShapeResults emptyLikeSelf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::MemoryFormat format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    const auto type = call.dtype();
    return {format == c10::MemoryFormat::Preserve ? emptyLike(self, type)
                                                  : newEmpty(self, self.sizes(), format, type)};
}

ShapeResults logSigmoidForward(const ShapeCall& call) {
    const std::array self = {call.tensor("self")};
    const at::Tensor output = elementwise(self, self[0].scalar_type());
    // The CPU keeps exp(-|x|) for the backward.
    return {output, fakingCuda() ? newEmpty(self[0], {0}) : elementwise(self, self[0].scalar_type())};
}

} // namespace aotscope::torch::shapes
