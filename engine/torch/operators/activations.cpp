#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/where.h>

/// Activations and their gradients.
namespace aotscope::torch {

namespace {

Decomposed hardshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return at::where(at::abs(self).le(call.scalar("lambd")), 0, self);
}

Decomposed softshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar lambda = call.scalar("lambd");
    TORCH_CHECK(lambda.toDouble() >= 0, "softshrink's lambda must not be negative, but is ", lambda);
    const at::Tensor outside = at::abs(self).gt(lambda);
    const at::Tensor shrunk = self - at::sign(self) * lambda;
    // Times 0 rather than 0: NaN stays NaN.
    return at::where(outside, shrunk, self * 0);
}

} // namespace

void addActivationRows(OperatorRows& rows) {
    rows.add({"silu"}, InCore{decomposed::silu}, InInductor{decomposed::inductorSilu});
    rows.add({"hardshrink"}, hardshrink, ForAutograd{hardshrink});
    rows.add({"softshrink"}, softshrink, ForAutograd{softshrink});
    rows.add({"tanh_backward"}, symbolic::ofBoth, decomposed::tanhBackward);
    rows.add({"sigmoid_backward"}, symbolic::ofBoth, decomposed::sigmoidBackward);
    rows.add({"softplus"}, decomposed::softplus);
    rows.add({"softplus_backward"}, shapes::bySelf, decomposed::softplusBackward);
    rows.add({"elu_backward"}, shapes::bySelf, decomposed::eluBackward);
    rows.add({"elu"}, InInductor{decomposed::elu});
    rows.add({"celu"}, decomposed::celu);
    rows.add({"hardsigmoid"}, decomposed::hardsigmoid);
    rows.add({"hardsigmoid_backward"}, shapes::bySelf, decomposed::hardsigmoidBackward);
    rows.add({"hardswish"}, shapes::sameType, decomposed::hardswish);
    rows.add({"hardswish_backward"}, shapes::bySelf, decomposed::hardswishBackward);
    rows.add({"hardtanh"}, shapes::sameType, InInductor{decomposed::hardtanh});
    rows.add({"hardtanh_backward"}, shapes::bySelf, decomposed::hardtanhBackward);
    rows.add({"threshold"}, decomposed::threshold);
    rows.add({"threshold_backward"}, shapes::bySelf, decomposed::thresholdBackward);
    rows.add({"leaky_relu"}, InInductor{decomposed::leakyRelu});
    rows.add({"leaky_relu_backward"}, shapes::bySelf, decomposed::leakyReluBackward);
    rows.add({"rrelu_with_noise_backward"}, InInductor{decomposed::rreluBackward});
    rows.add({"gelu"}, InInductor{decomposed::gelu});
    rows.add({"gelu_backward"}, decomposed::geluBackward);
    rows.add({"mish"}, decomposed::mish);
    rows.add({"mish_backward"}, decomposed::mishBackward);
    rows.add({"silu_backward"}, decomposed::siluBackward);
    rows.add({"_prelu_kernel"}, shapes::promoted, decomposed::preluKernel);
    rows.add({"_prelu_kernel_backward"}, shapes::preluBackward, decomposed::preluKernelBackward);
    rows.add({"log_sigmoid_forward"}, shapes::logSigmoidForward, decomposed::logSigmoidForward);
    rows.add({"log_sigmoid_backward"}, shapes::elementwiseOf<0, 1>, decomposed::logSigmoidBackward);
    rows.add({"glu"}, symbolic::halved, InCore{decomposed::glu});
    rows.add({"glu_backward"}, shapes::gluBackward, symbolic::joinedHalves, decomposed::gluBackward);
    rows.add({"relu"}, shapes::sameType);
    rows.add({"glu_jvp", "rrelu_with_noise"}, shapes::like<0>);
}

} // namespace aotscope::torch
