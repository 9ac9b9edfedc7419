#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Activations and their gradients.
namespace aotscope::torch {

namespace {

using python::Opmath;
using python::pointwise;

constexpr double sqrt2 = 1.41421356237309504880;
constexpr double sqrtHalf = 0.70710678118654752440;
constexpr double twoOverSqrtPi = 1.12837916709551257390;

/// The product; an integer if both factors are.
c10::Scalar productOf(const c10::Scalar& left, const c10::Scalar& right) {
    if (left.isSymbolic() || right.isSymbolic()) {
        return left.isIntegral(true) && right.isIntegral(true)
                   ? c10::Scalar(left.toSymInt() * right.toSymInt())
                   : c10::Scalar(python::real(left) * python::real(right));
    }
    const bool integers = left.isIntegral(true) && right.isIntegral(true);
    return integers ? c10::Scalar(left.toLong() * right.toLong())
                    : c10::Scalar(left.toDouble() * right.toDouble());
}

at::Tensor clampedToSix(const at::Tensor& x) {
    return at::clamp(at::clamp(x + 3, 0), std::nullopt, 6);
}

Decomposed softplusBackward(const DecompositionCall& call) {
    const c10::Scalar beta = call.scalar("beta");
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    const at::Tensor z = (x * beta).exp();
    const at::Tensor linear = (x * beta).gt(call.scalar("threshold"));
    const at::Tensor curved = grad * z;
    return cast.back(at::where(linear, grad, curved / (z + 1.0)));
}

Decomposed softplus(const DecompositionCall& call) {
    const c10::Scalar beta = call.scalar("beta");
    const auto [cast, a] = python::castOperands(call, "self");
    // PyTorch drops arguments that equal their defaults, and the Python function scales only by an explicit
    // `beta`.
    if (call.isDefault("beta") && call.isDefault("threshold")) {
        const at::Tensor plain = at::log1p(at::exp(a));
        return cast.back(at::where(a.gt(call.scalar("threshold")), a, plain));
    }
    const at::Tensor scaled = a * beta;
    const at::Tensor curved = at::log1p(at::exp(scaled)) / beta;
    return cast.back(at::where(scaled.gt(call.scalar("threshold")), a, curved));
}

Decomposed eluBackward(const DecompositionCall& call) {
    const c10::Scalar scale = call.scalar("scale");
    const c10::Scalar negative = productOf(call.scalar("alpha"), scale);
    const c10::Scalar inputScale = call.scalar("input_scale");
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self_or_result");
    const at::Tensor below = x.le(0);
    at::Tensor left = grad * inputScale;
    if (call.flag("is_result")) {
        left = left * (x + negative);
    } else {
        left = left * negative;
        left = left * at::exp(x * inputScale);
    }
    return cast.back(at::where(below, left, grad * scale));
}

Decomposed elu(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    // PyTorch drops trailing default arguments; the Python function's own defaults are floats.
    const bool ownInputScale = call.isDefault("input_scale");
    const bool ownScale = ownInputScale && call.isDefault("scale");
    const bool ownAlpha = ownScale && call.isDefault("alpha");
    const c10::Scalar inputScale = ownInputScale ? c10::Scalar(1.0) : call.scalar("input_scale");
    const c10::Scalar scale = ownScale ? c10::Scalar(1.0) : call.scalar("scale");
    const c10::Scalar alpha = ownAlpha ? c10::Scalar(1.0) : call.scalar("alpha");
    const Opmath cast{&a};
    const at::Tensor above = a.gt(0);
    const at::Tensor positive = scale * a;
    return cast.back(at::where(above, positive, productOf(alpha, scale) * at::expm1(a * inputScale)));
}

Decomposed celu(const DecompositionCall& call) {
    const c10::Scalar alpha = call.scalar("alpha");
    const auto [cast, a] = python::castOperands(call, "self");
    // PyTorch drops a default alpha, and the Python function then does not scale.
    const at::Tensor negative = call.isDefault("alpha") ? at::expm1(a) : alpha * at::expm1(a / alpha);
    return cast.back(at::where(a.gt(0), a, negative));
}

Decomposed hardswishBackward(const DecompositionCall& call) {
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    const at::Tensor below = x.le(-3);
    const at::Tensor inside = x.lt(3);
    const at::Tensor slope = grad * (x / 3 + 0.5);
    return cast.back(at::where(below, 0.0, at::where(inside, slope, grad)));
}

at::Tensor gradientWithin(const DecompositionCall& call, const at::Tensor& grad, const at::Tensor& x) {
    const at::Tensor below = x.le(call.scalar("min_val"));
    const at::Tensor outside = below | x.ge(call.scalar("max_val"));
    return at::where(outside, 0.0, grad);
}

Decomposed hardtanhBackward(const DecompositionCall& call) {
    if (!call.rules().decompositions.hardtanhBackwardComparesInOpmath) {
        return gradientWithin(call, call.tensor("grad_output"), call.tensor("self"));
    }
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    return cast.back(gradientWithin(call, grad, x));
}

Decomposed hardtanh(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    c10::Scalar lower = call.scalar("min_val");
    c10::Scalar upper = call.scalar("max_val");
    if (c10::isIntegralType(a.scalar_type(), false)) {
        lower = lower.toLong();
        upper = upper.toLong();
    }
    const Opmath cast{&a};
    return cast.back(at::clamp(a, lower, upper));
}

Decomposed rreluBackward(const DecompositionCall& call) {
    const double lower = call.number("lower");
    const double upper = call.number("upper");
    const auto [cast, grad, self, noise] = python::castOperands(call, "grad_output", "self", "noise");
    const bool isNoisy =
        upper - lower > 1e-6 || call.rules().decompositions.rreluBackwardAlwaysMultipliesByNoise;
    if (call.flag("training") && isNoisy) {
        return cast.back(grad.mul(noise));
    }
    return cast.back(at::leaky_relu_backward(grad, self, (lower + upper) / 2, call.flag("self_is_result")));
}

Decomposed gelu(const DecompositionCall& call) {
    const auto [cast, a] = python::castOperands(call, "self");
    if (call.text("approximate") == "tanh") {
        const double beta = sqrt2 * twoOverSqrtPi * 0.5;
        const at::Tensor cube = a * a * a;
        const at::Tensor inner = beta * (a + 0.044715 * cube);
        const at::Tensor half = 0.5 * a;
        return cast.back(half * (1 + at::tanh(inner)));
    }
    const at::Tensor half = a * 0.5;
    return cast.back(half * (1 + at::erf(a * sqrtHalf)));
}

Decomposed geluBackward(const DecompositionCall& call) {
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    if (call.text("approximate") == "tanh") {
        const double beta = sqrt2 * twoOverSqrtPi * 0.5;
        const double kappa = 0.044715;
        const at::Tensor square = x * x;
        const at::Tensor cube = square * x;
        const at::Tensor inner = beta * (x + kappa * cube);
        const at::Tensor tanhInner = at::tanh(inner);
        const at::Tensor left = 0.5 * x;
        const at::Tensor right = 1 + tanhInner;
        const at::Tensor leftDerivative = 0.5 * right;
        const at::Tensor tanhDerivative = 1 - tanhInner * tanhInner;
        const at::Tensor innerDerivative = beta * (1 + 3 * kappa * square);
        const at::Tensor rightDerivative = left * tanhDerivative * innerDerivative;
        return cast.back(grad * (leftDerivative + rightDerivative));
    }
    const double beta = twoOverSqrtPi * sqrtHalf * 0.5;
    const at::Tensor cdf = 0.5 * (1 + at::erf(x * sqrtHalf));
    const at::Tensor pdf = beta * at::exp(x * x * -0.5);
    return cast.back(grad * (cdf + x * pdf));
}

Decomposed mishBackward(const DecompositionCall& call) {
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    const at::Tensor tanh = at::tanh(at::softplus(x));
    const at::Tensor sigmoid = at::sigmoid(x);
    const at::Tensor product = x * sigmoid;
    const at::Tensor out = product * (1 - tanh * tanh);
    return cast.back(grad * (tanh + out));
}

Decomposed siluBackward(const DecompositionCall& call) {
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    const at::Tensor sigmoid =
        call.rules().decompositions.siluBackwardCallsSigmoid ? at::sigmoid(x) : 1 / (1 + at::exp(-x));
    const at::Tensor scaled = grad * sigmoid;
    return cast.back(scaled * (1 + x * (1 - sigmoid)));
}

Decomposed preluKernelBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor self = call.tensor("self");
    at::Tensor above = self.gt(0);
    at::Tensor inputGrad = at::where(above, grad, call.tensor("weight") * grad);
    above = self.gt(0);
    return {std::move(inputGrad), at::where(above, 0.0, self * grad)};
}

Decomposed logSigmoidForward(const DecompositionCall& call) {
    const auto [cast, self] = python::castOperands(call, "self");
    const at::Tensor min = at::minimum(python::newZeros(self, {}), self);
    const at::Tensor z = at::exp(-at::abs(self));
    const at::Tensor buffer = self.is_cuda() ? python::newZeros(self, {0}) : z;
    const at::Tensor output = min - at::log1p(z);
    return {cast.back(output), cast.back(buffer)};
}

Decomposed logSigmoidBackward(const DecompositionCall& call) {
    const auto [cast, grad, self, buffer] = python::castOperands(call, "grad_output", "self", "buffer");
    const at::Tensor negative = self.lt(0);
    const at::Tensor maxDerivative = at::where(negative, 1, 0);
    const at::Tensor sign = at::where(negative, 1, -1);
    const bool isFilled = call.rules().decompositions.logSigmoidBackwardReadsItsBuffer &&
                          buffer.sym_numel().sym_gt(0).guard_bool(__FILE__, __LINE__);
    const at::Tensor z = isFilled ? buffer : at::exp(-at::abs(self));
    return cast.back(grad * (maxDerivative - sign * (z / (1 + z))));
}

Decomposed glu(const DecompositionCall& call) {
    const auto [cast, a] = python::castOperands(call, "self");
    const std::vector<at::Tensor> halves = at::tensor_split(a, 2, call.integer("dim"));
    return cast.back(halves[0] * at::sigmoid(halves[1]));
}

Decomposed gluBackward(const DecompositionCall& call) {
    const auto [cast, grad, self] = python::castOperands(call, "grad_output", "self");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
    const c10::SymInt half = self.sym_size(dim) / 2;
    const at::Tensor first = self.narrow_symint(dim, 0, half);
    const at::Tensor second = self.narrow_symint(dim, half, half);
    const at::Tensor gate = at::sigmoid(second);
    const at::Tensor secondGrad = (1.0 - gate) * gate * first * grad;
    const at::Tensor firstGrad = gate * grad;
    return cast.back(at::cat({firstGrad, secondGrad}, dim));
}

Decomposed hardshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return at::where(at::abs(self).le(call.scalar("lambd")), 0, self);
}

Decomposed softshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar lambda = call.scalar("lambd");
    TORCH_CHECK(lambda.toDouble() >= 0, "softshrink's lambda must not be negative, but is ", lambda);
    const auto shrunkBy = [&](const auto& bound) {
        const at::Tensor outside = at::abs(self).gt(bound);
        const at::Tensor shrunk = self - at::sign(self) * bound;
        // Times 0 rather than 0: NaN stays NaN.
        return at::where(outside, shrunk, self * 0);
    };
    return call.rules().decompositions.softshrinkRoundsLambda &&
                   c10::isReducedFloatingType(self.scalar_type())
               ? shrunkBy(at::scalar_tensor(lambda, python::optionsOf(self)))
               : shrunkBy(lambda);
}

} // namespace

void addActivationRows(OperatorRows& rows) {
    rows.add({"silu"}, InCore{pointwise([](const at::Tensor& x) { return x * at::sigmoid(x); })},
             InInductor{pointwise([](const at::Tensor& x) { return x / (1 + x.neg().exp()); })});
    rows.add({"hardshrink"}, hardshrink, ForAutograd{hardshrink});
    rows.add({"softshrink"}, softshrink, ForAutograd{softshrink});
    rows.add({"tanh_backward"}, symbolic::ofBoth, pointwise([](const at::Tensor& grad, const at::Tensor& y) {
                 return grad * (1 - y * y).conj_physical();
             }));
    rows.add({"sigmoid_backward"}, symbolic::ofBoth,
             pointwise([](const at::Tensor& grad, const at::Tensor& y) {
                 return grad * (y * (1 - y)).conj_physical();
             }));
    rows.add({"softplus"}, softplus);
    rows.add({"softplus_backward"}, shapes::bySelf, softplusBackward);
    rows.add({"elu_backward"}, shapes::bySelf, eluBackward);
    rows.add({"elu"}, InInductor{elu});
    rows.add({"celu"}, celu);
    rows.add({"hardsigmoid"}, pointwise([](const at::Tensor& x) { return clampedToSix(x) / 6; }));
    rows.add({"hardsigmoid_backward"}, shapes::bySelf,
             pointwise([](const at::Tensor& grad, const at::Tensor& x) {
                 const at::Tensor above = x.gt(-3.0);
                 const at::Tensor inside = above & x.lt(3.0);
                 return at::where(inside, grad * (1.0 / 6.0), 0.0);
             }));
    rows.add({"hardswish"}, shapes::sameType,
             pointwise([](const at::Tensor& x) { return x * clampedToSix(x) / 6; }));
    rows.add({"hardswish_backward"}, shapes::bySelf, hardswishBackward);
    rows.add({"hardtanh"}, shapes::sameType, InInductor{hardtanh});
    rows.add({"hardtanh_backward"}, shapes::bySelf, hardtanhBackward);
    rows.add({"threshold"}, pointwise([](const DecompositionCall& call, const at::Tensor& a) {
                 return at::where(a.le(call.scalar("threshold")), call.scalar("value"), a);
             }));
    rows.add({"threshold_backward"}, shapes::bySelf, [](const DecompositionCall& call) -> Decomposed {
        return at::where(call.tensor("self").le(call.scalar("threshold")), 0, call.tensor("grad_output"));
    });
    rows.add({"leaky_relu"}, InInductor{pointwise([](const DecompositionCall& call, const at::Tensor& a) {
                 const at::Tensor above = a.gt(0);
                 return at::where(above, a, a * call.scalar("negative_slope"));
             })});
    rows.add({"leaky_relu_backward"}, shapes::bySelf,
             pointwise([](const DecompositionCall& call, const at::Tensor& grad, const at::Tensor& x) {
                 const at::Tensor above = x.gt(0);
                 return at::where(above, grad, grad * call.scalar("negative_slope"));
             }));
    rows.add({"rrelu_with_noise_backward"}, InInductor{rreluBackward});
    rows.add({"gelu"}, InInductor{gelu});
    rows.add({"gelu_backward"}, geluBackward);
    rows.add({"mish"}, pointwise([](const at::Tensor& a) { return a * at::tanh(at::softplus(a)); }));
    rows.add({"mish_backward"}, mishBackward);
    rows.add({"silu_backward"}, siluBackward);
    rows.add({"_prelu_kernel"}, shapes::promoted, [](const DecompositionCall& call) -> Decomposed {
        const at::Tensor self = call.tensor("self");
        const at::Tensor above = self.gt(0);
        return at::where(above, self, call.tensor("weight") * self);
    });
    rows.add({"_prelu_kernel_backward"}, shapes::preluBackward, preluKernelBackward);
    rows.add({"log_sigmoid_forward"}, shapes::logSigmoidForward, logSigmoidForward);
    rows.add({"log_sigmoid_backward"}, shapes::elementwiseOf<0, 1>, logSigmoidBackward);
    rows.add({"glu"}, symbolic::halved, InCore{glu});
    rows.add({"glu_backward"}, shapes::gluBackward, symbolic::joinedHalves, gluBackward);
    rows.add({"relu"}, shapes::sameType);
    rows.add({"glu_jvp", "rrelu_with_noise"}, shapes::like<0>);
}

} // namespace aotscope::torch
