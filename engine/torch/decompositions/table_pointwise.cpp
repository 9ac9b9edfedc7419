#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <cmath>
#include <limits>
#include <numbers>

/// Functions of single elements.
namespace aotscope::torch::decomposed {

namespace {

using python::FloatMath;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// An operand as a tensor, also if it is a number.
at::Tensor operand(const DecompositionCall& call, const char* name, const char* other) {
    if (call.value(name).isTensor()) {
        return call.tensor(name);
    }
    const at::Tensor like = call.tensor(other);
    return at::scalar_tensor(call.scalar(name), python::optionsOf(like));
}

/// 0 times any logarithm but that of NaN is 0.
template<typename Logarithm>
at::Tensor timesLogarithm(const DecompositionCall& call, Logarithm&& logarithm) {
    at::Tensor a = operand(call, "self", "other");
    at::Tensor b = operand(call, "other", "self");
    const FloatMath cast{&a, &b};
    const at::Tensor zero = at::eq(a, 0);
    const at::Tensor product = at::where(zero, 0, a * logarithm(b));
    return cast.back(at::where(at::isnan(b), notANumber, product));
}

/// The logarithm of the normal distribution's integral up to `a`.
at::Tensor logarithmOfNormal(const at::Tensor& a) {
    const at::Tensor t = a * 0.707106781186547524400844362104849039;
    const at::Tensor small = a.lt(1.0);
    const at::Tensor left = at::log(at::special_erfcx(-t) / 2);
    const at::Tensor lower = left - t * t;
    return at::where(small, lower, at::log1p(-at::erfc(t) / 2));
}

} // namespace

Decomposed addcmul(const DecompositionCall& call) {
    const auto [cast, self, left, right] = python::castOperands(call, "self", "tensor1", "tensor2");
    return cast.back(self + call.scalar("value") * left * right);
}

Decomposed addcdiv(const DecompositionCall& call) {
    const auto [cast, self, left, right] =
        python::castOperands<FloatMath>(call, "self", "tensor1", "tensor2");
    return cast.back(self + call.scalar("value") * left / right);
}

/// Inductor's own kernels fuse the multiplication with the addition.
Decomposed inductorAddcmul(const DecompositionCall& call) {
    return call.rules().decompositions.inductorFusesMultiplyAdd ? Decomposed::notApplicable() : addcmul(call);
}

Decomposed inductorAddcdiv(const DecompositionCall& call) {
    return call.rules().decompositions.inductorFusesMultiplyAdd ? Decomposed::notApplicable() : addcdiv(call);
}

Decomposed rsub(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.schema().overload_name() == "Tensor" ? call.tensor("other")
                                                                       : python::number(call.scalar("other"));
    return at::sub(other, self, call.scalar("alpha"));
}

Decomposed clampToOne(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    if (call.schema().overload_name() == "Tensor") {
        const auto bound = [&](const char* name) {
            return call.has(name) ? call.optionalTensor(name) : std::nullopt;
        };
        return at::clamp(self, bound("min"), bound("max"));
    }
    return at::clamp(self, call.optionalScalar("min"), call.optionalScalar("max"));
}

Decomposed floorDivide(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.schema().overload_name() == "Scalar" ? python::number(call.scalar("other"))
                                                                       : call.tensor("other");
    return at::div(self, other, "floor");
}

Decomposed isInfinite(const DecompositionCall& call, double value) {
    at::Tensor x = call.tensor("self");
    TORCH_CHECK(!x.is_complex(), call.schema().name(), " is not supported for complex tensors");
    if (x.is_floating_point()) {
        x = python::convert(x, python::computationType(x.scalar_type()));
        return x.eq(value);
    }
    return at::zeros_like(x, python::options(c10::kBool));
}

Decomposed sgn(const DecompositionCall& call) {
    const auto [cast, x] = python::castOperands(call, "self");
    if (!x.is_complex()) {
        return cast.back(x.sign());
    }
    const at::Tensor magnitude = x.abs();
    const at::Tensor none = magnitude.eq(0);
    return cast.back(at::where(none, 0, x / magnitude));
}

Decomposed sinc(const DecompositionCall& call) {
    auto [cast, x] = python::castOperands<FloatMath>(call, "self");
    x = std::numbers::pi * x;
    const at::Tensor zero = x.eq(0);
    return cast.back(at::where(zero, 1, at::sin(x) / x));
}

/// The multivariate log-gamma function of dimension `p`.
Decomposed mvlgamma(const DecompositionCall& call) {
    const auto [cast, a] = python::castOperands<FloatMath>(call, "self");
    const std::int64_t p = call.integer("p");
    const double constant =
        0.25 * static_cast<double>(p) * static_cast<double>(p - 1) * std::log(std::numbers::pi);
    const at::Tensor offsets = 0.5 * at::arange(1 - p, 1, 1, python::optionsOf(a));
    const at::Tensor gammas = at::lgamma(a.unsqueeze(-1) + offsets);
    return cast.back(at::sum(gammas, at::IntArrayRef{-1}) + constant);
}

Decomposed logit(const DecompositionCall& call) {
    auto [cast, x] = python::castOperands<FloatMath>(call, "self");
    const double low = call.optionalNumber("eps").value_or(-1.0);
    const double high = 1 - low;
    const at::Tensor below = x.lt(low);
    const at::Tensor bounded = at::where(x.gt(high), high, x);
    x = at::where(below, low, bounded);
    return cast.back(at::log(x / at::sub(python::number(1), x)));
}

Decomposed logitBackward(const DecompositionCall& call) {
    const auto [cast, grad, x] = python::castOperands(call, "grad_output", "self");
    const bool bounded = call.has("eps");
    const double low = call.optionalNumber("eps").value_or(0.0);
    const double high = 1.0 - low;
    const at::Tensor above = x.ge(low);
    const at::Tensor inside = at::logical_and(above, x.le(high));
    const at::Tensor slope = grad / (x * (1.0 - x));
    return cast.back(bounded ? at::where(inside, slope, 0.0)
                             : at::where(inside, slope, python::newFull(x, {}, notANumber)));
}

namespace {

at::Tensor numbersFor(const DecompositionCall& call, const at::Tensor& a) {
    const auto [largest, smallest] = [&]() -> std::pair<double, double> {
        switch (a.scalar_type()) {
        case c10::kDouble:
            return {std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
        case c10::kHalf:
            return {65504.0, -65504.0};
        case c10::kBFloat16:
            return {3.3895313892515355e+38, -3.3895313892515355e+38};
        default:
            return {static_cast<double>(std::numeric_limits<float>::max()),
                    static_cast<double>(std::numeric_limits<float>::lowest())};
        }
    }();
    at::Tensor result = at::where(at::isnan(a), call.optionalNumber("nan").value_or(0.0), a);
    result = at::where(at::isneginf(a), call.optionalNumber("neginf").value_or(smallest), result);
    return at::where(at::isposinf(a), call.optionalNumber("posinf").value_or(largest), result);
}

} // namespace

Decomposed nanToNum(const DecompositionCall& call) {
    const at::Tensor a = call.tensor("self");
    if (c10::isIntegralType(a.scalar_type(), true)) {
        return a.clone();
    }
    if (!a.is_complex()) {
        return numbersFor(call, a);
    }
    const at::Tensor real = at::nan_to_num(at::real(a), call.optionalNumber("nan"),
                                           call.optionalNumber("posinf"), call.optionalNumber("neginf"));
    const at::Tensor imaginary = at::nan_to_num(at::imag(a), call.optionalNumber("nan"),
                                                call.optionalNumber("posinf"), call.optionalNumber("neginf"));
    return at::complex(real, imaginary);
}

Decomposed xlogy(const DecompositionCall& call) {
    return timesLogarithm(call, [](const at::Tensor& x) { return at::log(x); });
}

Decomposed xlog1py(const DecompositionCall& call) {
    return timesLogarithm(call, [](const at::Tensor& x) { return at::log1p(x); });
}

Decomposed entr(const DecompositionCall& call) {
    const auto [cast, a] = python::castOperands<FloatMath>(call, "self");
    const at::Tensor nan = at::isnan(a);
    const at::Tensor above = a.gt(0);
    const at::Tensor negative = -a;
    const at::Tensor product = negative * at::log(a);
    const at::Tensor rest = at::where(a.eq(0), 0, -infinity);
    return cast.back(at::where(nan, a, at::where(above, product, rest)));
}

Decomposed logNdtr(const DecompositionCall& call) {
    const auto [cast, a] = python::castOperands<FloatMath>(call, "self");
    return cast.back(logarithmOfNormal(a));
}

/// Inductor ignores signed zeros: some releases' log_ndtr decomposition keeps the sign explicitly.
Decomposed inductorLogNdtr(const DecompositionCall& call) {
    if (!call.rules().decompositions.logNdtrKeepsItsSign) {
        return logNdtr(call);
    }
    return at::copysign(logarithmOfNormal(call.tensor("self")), -1.0);
}

Decomposed dropoutBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor mask = call.tensor("mask").type_as(grad);
    return (grad * (mask * call.scalar("scale"))).clone(python::suggestMemoryFormat(grad));
}

} // namespace aotscope::torch::decomposed
