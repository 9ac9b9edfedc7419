#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/reference_layout.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/real.h>
#include <ATen/ops/where.h>

#include <limits>
#include <numbers>

/// Functions of two or three operands, which are first broadcast to one shape.
namespace aotscope::torch::decomposed {

namespace {

using python::Opmath;

constexpr double nanValue = std::numeric_limits<double>::quiet_NaN();

/// What references of two operands do first: cast and broadcast them.
Opmath castAndBroadcast(at::Tensor& left, at::Tensor& right) {
    const Opmath cast{&left, &right};
    const std::vector<at::Tensor> both = reference::broadcastTensors({left, right});
    left = both[0];
    right = both[1];
    return cast;
}

/// With `addcmul` or a scaled addition, which Inductor computes by one fused multiply-add.
at::Tensor fusedLerp(const DecompositionCall& call) {
    const at::Tensor start = call.tensor("self");
    at::Tensor end = call.tensor("end");
    const c10::MemoryFormat format = python::suggestMemoryFormat(start);
    if (format != c10::MemoryFormat::Contiguous) {
        end = end.contiguous(format);
    }
    const at::Tensor distance = end - start;
    if (call.schema().overload_name() == "Scalar") {
        const c10::Scalar given = call.scalar("weight");
        if (!given.isSymbolic()) {
            const double weight = given.toDouble();
            return weight >= 0.5 || weight <= -0.5 ? at::add(end, distance, -(1.0 - weight))
                                                   : at::add(start, distance, weight);
        }
        const c10::SymFloat weight = python::real(given);
        if (weight >= 0.5 || weight <= -0.5) {
            const c10::SymFloat rest = c10::SymFloat(1.0) - weight;
            return at::add(end, distance, c10::Scalar(c10::SymFloat(rest.toSymNodeImpl()->neg())));
        }
        return at::add(start, distance, c10::Scalar(weight));
    }
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor large = weight.abs().ge(0.5);
    const at::Tensor fromEnd = -(1.0 - weight);
    const at::Tensor coefficient = at::where(large, fromEnd, weight);
    return at::addcmul(at::where(large, end, start), coefficient, distance);
}

/// `torch.real`, which leaves real tensors alone.
at::Tensor realPart(const at::Tensor& tensor) {
    return tensor.is_complex() ? at::real(tensor) : tensor;
}

at::Tensor complexLogaddexp(const at::Tensor& max, const at::Tensor& min, const at::Tensor& both) {
    const at::Tensor isNegative = realPart(min).lt(0);
    const at::Tensor smaller = at::exp(min);
    const at::Tensor ofInfinities = at::where(isNegative, min, at::log(smaller + at::exp(max)));
    const at::Tensor usual = max + at::log1p(at::exp(min - max));
    const at::Tensor result = at::where(both, ofInfinities, usual);
    return at::where(at::isnan(min), c10::Scalar(c10::complex<double>(nanValue, nanValue)), result);
}

} // namespace

Decomposed heaviside(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    at::Tensor values = call.tensor("values");
    const Opmath cast = castAndBroadcast(x, values);
    const at::Tensor zero = at::eq(x, 0);
    const at::Tensor below = x.lt(0);
    const at::Tensor belowOrNan = at::logical_or(below, at::isnan(x));
    return cast.back(at::where(zero, values, at::where(belowOrNan, 0, 1)));
}

Decomposed lerp(const DecompositionCall& call) {
    at::Tensor start = call.tensor("self");
    at::Tensor end = call.tensor("end");
    const bool isNumber = call.schema().overload_name() == "Scalar";
    at::Tensor weight = isNumber ? at::Tensor() : call.tensor("weight");
    const Opmath cast{&start, &end, &weight};
    if (isNumber) {
        const c10::Scalar given = call.scalar("weight");
        const bool isPlain = !given.isSymbolic() && !given.isComplex();
        weight = python::newFull(start, {},
                                 isPlain ? python::numberOf(given.toDouble(), start.scalar_type()) : given);
    }
    const at::Tensor large = weight.abs().ge(0.5);
    const at::Tensor coefficient = at::where(large, weight - 1, weight);
    const at::Tensor base = at::where(large, end, start);
    const at::Tensor output = coefficient * (end - start) + base;
    std::vector<reference::Layout> operands = {reference::Layout(start), reference::Layout(end)};
    if (!isNumber) {
        operands.emplace_back(weight);
    }
    reference::askElementwiseStrides(operands, output);
    return cast.back(output);
}

Decomposed inductorLerp(const DecompositionCall& call) {
    return call.rules().decompositions.inductorFusesMultiplyAdd ? Decomposed(fusedLerp(call)) : lerp(call);
}

Decomposed logaddexp(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    at::Tensor b = call.tensor("other");
    const Opmath cast = castAndBroadcast(a, b);
    const at::Tensor first = realPart(a);
    const at::Tensor mask = first.ge(realPart(b));
    const at::Tensor max = at::where(mask, a, b);
    const at::Tensor min = at::where(mask, b, a);
    const at::Tensor infinite = at::logical_not(at::isfinite(realPart(a)));
    const at::Tensor again = realPart(a);
    const at::Tensor both = at::logical_and(infinite, again.eq(realPart(b)));
    if (a.is_complex()) {
        return cast.back(complexLogaddexp(max, min, both));
    }
    return cast.back(at::where(both, a, max + at::log1p(at::exp(min - max))));
}

Decomposed logaddexp2(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    at::Tensor b = call.tensor("other");
    TORCH_CHECK(!a.is_complex() && !b.is_complex(), "logaddexp2 doesn't support complex dtypes");
    const Opmath cast = castAndBroadcast(a, b);
    const at::Tensor mask = a.ge(b);
    const at::Tensor max = at::where(mask, a, b);
    const at::Tensor min = at::where(mask, b, a);
    const at::Tensor infinite = at::isinf(a);
    const at::Tensor both = at::logical_and(infinite, a.eq(b));
    const at::Tensor result = max + at::log1p(at::exp2(min - max)) * (1.0 / std::numbers::ln2);
    return cast.back(at::where(both, a, result));
}

} // namespace aotscope::torch::decomposed
