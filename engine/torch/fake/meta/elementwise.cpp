#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/like_operand.h"
#include "fake/meta/rules.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/result_type.h>
#include <c10/core/DefaultDtype.h>

#include <array>

namespace aotscope::torch {

namespace {

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
    const std::array operands = {call.firstTensor()};
    return {elementwise(operands, c10::kBool)};
}

ShapeResults angle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyLike(self, floatTypeOf(realTypeOf(self.scalar_type())))};
}

ShapeResults contiguousLikeFirst(const ShapeCall& call) {
    return {emptyContiguous(call.firstTensor())};
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
    const std::array values = {self, other};
    const std::array all = {call.tensor("condition"), self, other};
    return {elementwise(all, elementwise(values).scalar_type())};
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

/// CUDA's dropout: the scaled input and a mask, which has the input's dtype in PyTorch's decomposition.
ShapeResults fusedDropout(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyLike(self), emptyLike(self)};
}

ShapeResults maskedScale(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, self.sizes(), self.suggest_memory_format())};
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
    const std::array operands = {tensors[1], newEmpty(grad, {}), grad};
    return {elementwise(operands)};
}

ShapeResults logSoftmaxBackward(const ShapeCall& call) {
    const std::array operands = {call.tensor("grad_output"), call.tensor("output")};
    return {elementwise(operands, call.dtype("input_dtype"))};
}

ShapeResults contiguousFloatOfFirst(const ShapeCall& call) {
    const at::Tensor self = call.firstTensor();
    return {emptyContiguous(self, floatTypeOf(self.scalar_type()))};
}

ShapeResults lossGradient(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("target"), call.tensor("grad_output")};
    return {elementwise(operands)};
}

ShapeResults gluBackward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = wrapDim(call.integer("dim"), self.dim());
    const std::int64_t half = self.size(dim) / 2;
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor first = self.narrow(dim, 0, half);
    const at::Tensor gate = self.narrow(dim, half, half);
    const std::array forFirst = {gate, grad};
    const std::array forGate = {gate, first, grad};
    return {at::cat({elementwise(forFirst), elementwise(forGate)}, dim)};
}

ShapeResults dropoutBackward(const ShapeCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    // The mask is converted to the gradient's dtype, and the scale is a float.
    const c10::ScalarType type = floatTypeOf(grad.scalar_type());
    return {newEmpty(grad, grad.sizes(), grad.suggest_memory_format(), type)};
}

/// The buffer that the CPU saved does not affect the layout.
ShapeResults logSigmoidBackward(const ShapeCall& call) {
    const std::array operands = {call.tensor("grad_output"), call.tensor("self")};
    return {elementwise(operands)};
}

/// A power of 1 is a copy, which keeps the strides of a dense tensor.
ShapeResults power(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar exponent = call.value("exponent").toScalar();
    const c10::ScalarType type = at::result_type(self, exponent);
    const bool copies = !exponent.isComplex() && exponent.toDouble() == 1 && type == self.scalar_type();
    return {copies && self.dim() > 1 && self.is_non_overlapping_and_dense()
                ? newStrided(self, self.sizes(), self.strides())
                : emptyLike(self, type)};
}

/// The reference first tests the second operand for NaN, so its layout comes first.
ShapeResults timesLogarithm(const ShapeCall& call) {
    const std::array operands = {call.tensor("other"), call.tensor("self")};
    return {elementwise(operands, floatTypeOf(elementwise(operands).scalar_type()))};
}

/// For references that first compute with one broadcast operand alone: the result has its layout.
at::Tensor ledBy(const at::Tensor& leader, std::span<const at::Tensor> operands,
                 std::optional<c10::ScalarType> dtype = std::nullopt) {
    const at::Tensor plain = elementwise(operands, dtype);
    return emptyLikeBroadcast(leader, plain.sizes(), plain.scalar_type());
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
    const std::array operands = {self, elementwise(power)};
    return {elementwise(operands)};
}

/// Float division first tests the divisor for zero, so its layout wins; integer division does not.
at::Tensor floorDivided(std::span<const at::Tensor> operands) {
    const at::Tensor plain = elementwise(operands);
    return c10::isIntegralType(plain.scalar_type(), true) ? plain : ledBy(operands[1], operands);
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
    return {elementwise(operands, realTypeOf(operands[0].scalar_type()))};
}

ShapeResults complexOfParts(const ShapeCall& call) {
    const std::vector<at::Tensor> parts = call.allTensors();
    return {elementwise(parts, complexTypeOf(parts.front().scalar_type()))};
}

ShapeResults frexp(const ShapeCall& call) {
    const std::array operands = {call.tensor("self")};
    return {elementwise(operands, operands[0].scalar_type()), elementwise(operands, c10::kInt)};
}

ShapeResults withNoise(const ShapeCall& call) {
    return {emptyLike(call.tensor("self")), emptyLike(call.tensor("noise"))};
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
    return {self.dim() > 1 && self.is_non_overlapping_and_dense()
                ? newStrided(self, self.sizes(), self.strides())
                : emptyLike(self)};
}

/// The mask selects between a value and `self`; the result is then contiguous.
ShapeResults maskedFill(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::array operands = {call.tensor("mask"), self};
    const at::Tensor chosen = elementwise(operands, self.scalar_type());
    return {chosen.is_contiguous() ? chosen : emptyContiguous(chosen)};
}

ShapeResults maskedScatterBackward(const ShapeCall& call) {
    return {newEmpty(call.tensor("grad_output"), call.integers("sizes"))};
}

ShapeResults safeSoftmax(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyContiguous(self, call.dtype().value_or(self.scalar_type()))};
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

} // namespace

void addElementwiseRules(ShapeKernels& kernels) {
    kernels.add({"aten::_add_relu.Tensor", "aten::rsub.Tensor", "aten::_prelu_kernel",
                 "aten::__lshift__.Scalar", "aten::__lshift__.Tensor", "aten::__rshift__.Scalar",
                 "aten::__rshift__.Tensor", "aten::_standard_gamma_grad"},
                promoted);
    kernels.add({"aten::relu", "aten::hardswish", "aten::hardtanh"}, sameType);
    kernels.add({"aten::hardtanh_backward", "aten::hardswish_backward", "aten::threshold_backward",
                 "aten::logit_backward", "aten::elu_backward", "aten::softplus_backward",
                 "aten::hardsigmoid_backward", "aten::leaky_relu_backward"},
                bySelf);
    kernels.add({"aten::_fused_dropout"}, fusedDropout);
    kernels.add({"aten::remainder.Scalar_Tensor"}, remainderOfNumber);
    kernels.add({"aten::zero"}, contiguousLikeFirst);
    kernels.add({"aten::_masked_scale"}, maskedScale);
    kernels.add({"aten::_masked_softmax", "aten::_masked_softmax_backward"}, contiguousLikeFirst);
    kernels.add({"aten::_functional_assert_async.msg"}, depToken);
    kernels.add({"aten::_add_relu.Scalar", "aten::glu_jvp"}, likeFirst);
    kernels.add({"aten::log_sigmoid_backward"}, logSigmoidBackward);
    kernels.add({"aten::pow.Tensor_Scalar"}, power);
    kernels.add({"aten::xlogy.Tensor", "aten::special_xlog1py"}, timesLogarithm);
    kernels.add({"aten::floor_divide"}, floorDivide);
    kernels.add({"aten::div.Tensor_mode"}, divideInMode);
    kernels.add({"aten::copysign.Tensor"}, copySign);
    kernels.add({"aten::ldexp.Tensor"}, timesPowerOfTwo);
    kernels.add({"aten::heaviside", "aten::logaddexp", "aten::logaddexp2"}, ledByFirst);
    kernels.add({"aten::clone"}, cloned);
    kernels.add({"aten::masked_fill.Scalar", "aten::masked_fill.Tensor"}, maskedFill);
    kernels.add({"aten::masked_scatter_backward"}, maskedScatterBackward);
    kernels.add({"aten::_safe_softmax"}, safeSoftmax);
    kernels.add({"aten::where.self_out"}, intoOut);
    kernels.add({"aten::linspace.Scalar_Tensor", "aten::linspace.Tensor_Scalar",
                 "aten::linspace.Tensor_Tensor", "aten::logspace.Scalar_Tensor",
                 "aten::logspace.Tensor_Scalar", "aten::logspace.Tensor_Tensor"},
                steps);
    kernels.add({"aten::_log_softmax_backward_data"}, logSoftmaxBackward);
    kernels.add({"aten::mvlgamma"}, contiguousFloatOfFirst);
    kernels.add({"aten::huber_loss_backward", "aten::smooth_l1_loss_backward"}, lossGradient);
    kernels.add({"aten::glu_backward"}, gluBackward);
    kernels.add({"aten::native_dropout_backward"}, dropoutBackward);
    kernels.add({"aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::logical_not"}, toBool);
    kernels.add({"aten::abs"}, absolute);
    kernels.add({"aten::complex", "aten::polar"}, complexOfParts);
    kernels.add({"aten::frexp.Tensor"}, frexp);
    kernels.add({"aten::nan_to_num", "aten::rrelu_with_noise"}, likeFirst);
    kernels.add({"aten::rrelu_with_noise_functional"}, withNoise);
    kernels.add({"aten::_conj_physical"}, sameType);
    kernels.add({"aten::copy"}, copied);
    kernels.add({"aten::empty_like"}, emptyLikeSelf);
    kernels.add({"aten::logit"}, floatOfFirst);
    kernels.add({"aten::isnan"}, boolOfFirst);
    kernels.add({"aten::angle"}, angle);
    kernels.add({"aten::poisson"}, likeFirst);
    kernels.add({"aten::where.self"}, whereSelf);
    kernels.add({"aten::native_dropout"}, nativeDropout);
    kernels.add({"aten::_prelu_kernel_backward"}, preluBackward);
    kernels.add({"aten::log_sigmoid_forward"}, logSigmoidForward);
    kernels.add({"aten::bernoulli", "aten::bernoulli.p"}, contiguousLikeFirst);
    kernels.add({"aten::_add_relu_.Tensor",
                 "aten::bernoulli_.Tensor",
                 "aten::bernoulli_.float",
                 "aten::floor_divide_.Tensor",
                 "aten::relu_",
                 "aten::logit_",
                 "aten::masked_fill_.Scalar",
                 "aten::masked_fill_.Tensor",
                 "aten::masked_scatter_",
                 "aten::put_",
                 "aten::index_fill_.int_Scalar",
                 "aten::index_fill_.int_Tensor",
                 "aten::__ilshift__.Scalar",
                 "aten::__ilshift__.Tensor",
                 "aten::__irshift__.Scalar",
                 "aten::__irshift__.Tensor",
                 "aten::addbmm_",
                 "aten::cauchy_",
                 "aten::log_normal_",
                 "aten::exponential_",
                 "aten::geometric_",
                 "aten::hardtanh_",
                 "aten::hardswish_",
                 "aten::rrelu_with_noise_",
                 "aten::embedding_renorm_",
                 "aten::abs_",
                 "aten::logical_and_",
                 "aten::logical_or_",
                 "aten::logical_xor_",
                 "aten::logical_not_",
                 "aten::nan_to_num_",
                 "aten::mvlgamma_",
                 "aten::_index_put_impl_",
                 "aten::_amp_update_scale_"},
                itself);
    kernels.add({"aten::_assert_async", "aten::_assert_async.msg", "aten::_fused_adam_",
                 "aten::_fused_adam_.tensor_lr", "aten::_fused_adamw_", "aten::_fused_adamw_.tensor_lr",
                 "aten::_fused_sgd_", "aten::_fused_sgd_.tensor_lr", "aten::_fused_adagrad_",
                 "aten::_fused_adagrad_.tensor_lr", "aten::_amp_foreach_non_finite_check_and_unscale_",
                 "aten::_cummax_helper", "aten::_cummin_helper"},
                nothing);
}

} // namespace aotscope::torch
