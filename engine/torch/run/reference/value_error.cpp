#include "run/reference/value_error.h"

#include "dispatch/dtypes.h"
#include "dispatch/map_tensors.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include "aot/tensor_elements.h"

#include <ATen/ops/randint.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace aotscope::torch {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What a float dtype can hold.
struct FloatRange {
    double roundoff = 0;
    double largest = infinite;
    double smallest = 0;
};

FloatRange rangeOf(c10::ScalarType type) {
    struct Known {
        c10::ScalarType type;
        double largest;
        double smallest;
    };
    constexpr Known known[] = {
        {c10::kDouble, std::numeric_limits<double>::max(), std::numeric_limits<double>::min()},
        {c10::kFloat, std::numeric_limits<float>::max(), std::numeric_limits<float>::min()},
        {c10::kHalf, 65504, 0x1p-24},
        {c10::kBFloat16, 255 * 0x1p120, 0x1p-126},
        {c10::kFloat8_e4m3fn, 448, 0x1p-9},
        {c10::kFloat8_e5m2, 57344, 0x1p-16},
        {c10::kFloat8_e4m3fnuz, 240, 0x1p-10},
        {c10::kFloat8_e5m2fnuz, 57344, 0x1p-17},
    };
    const auto* found = std::ranges::find(known, c10::toRealValueType(type), &Known::type);
    return found == std::end(known)
               ? FloatRange()
               : FloatRange{aot::unitRoundoff(dtypeOf(type)), found->largest, found->smallest};
}

/// Contiguous float64 elements, both parts of complex ones.
at::Tensor numbersOf(const at::Tensor& tensor) {
    const at::Tensor plain = readable(tensor);
    const at::Tensor real = plain.is_complex() ? at::view_as_real(plain.to(c10::kComplexDouble)) : plain;
    return real.to(c10::kDouble).contiguous();
}

/// 0 where the value is the right rounding: equal, both NaN, or infinite for what the dtype cannot hold.
double distance(double computed, double expected, const FloatRange& range) {
    if (computed == expected || (std::isnan(computed) && std::isnan(expected))) {
        return 0;
    }
    if (std::isnan(computed) || std::isnan(expected)) {
        return infinite;
    }
    const bool overflows = std::abs(expected) >= range.largest * (1 - range.roundoff) &&
                           std::signbit(computed) == std::signbit(expected) &&
                           std::abs(computed) >= range.largest;
    return overflows ? 0 : std::abs(computed - expected);
}

/// One unit in the last place of the dtype at that number.
double unitAt(double expected, const FloatRange& range) {
    if (!std::isfinite(expected) || range.roundoff == 0) {
        return 1;
    }
    int exponent = 0;
    (void)std::frexp(expected, &exponent);
    return std::max(std::ldexp(range.roundoff, exponent), 2 * range.roundoff * range.smallest);
}

void grow(session::ErrorSize& size, double difference, double unit) {
    size.absolute = std::max(size.absolute, difference);
    size.ulps = std::max(size.ulps, difference / unit);
}

double largestMagnitude(const double* numbers, std::int64_t count) {
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isfinite(numbers[i])) {
            largest = std::max(largest, std::abs(numbers[i]));
        }
    }
    return largest;
}

std::vector<std::int64_t> elementIndex(std::int64_t flat, const at::Tensor& tensor) {
    std::vector<std::int64_t> index(static_cast<std::size_t>(tensor.dim()), 0);
    for (std::size_t dim = index.size(); dim-- > 0;) {
        index[dim] = flat % tensor.size(static_cast<std::int64_t>(dim));
        flat /= tensor.size(static_cast<std::int64_t>(dim));
    }
    return index;
}

/// A float64 tensor whose numbers differ from this one's by a fraction of at most `size`, in random
/// directions or, with a sign, all in one.
at::Tensor shifted(const at::Tensor& tensor, double size, double sign, at::Generator& generator) {
    if (!tensor.is_floating_point() && !tensor.is_complex()) {
        return tensor;
    }
    if (sign != 0) {
        return tensor.mul(1 + sign * size);
    }
    const at::Tensor signs =
        at::randint(-1, 2, tensor.sizes(), generator, at::TensorOptions(c10::kDouble)).to(tensor.device());
    return tensor.mul(signs.mul(size).add(1));
}

/// Sums of many terms in float32 may be off by this many times what one rounding of each term does;
/// smaller types are summed in float32.
double factorOf(const at::Tensor& computed) {
    return aot::unitRoundoff(dtypeOf(computed.scalar_type())) > std::ldexp(1.0, -24) ? 2 : 64;
}

} // namespace

void measureErrors(const ComparedValue& value, double sensitivity, std::span<const at::Tensor> alternatives,
                   session::NodeError& error) {
    const at::Tensor computed = numbersOf(value.computed);
    const at::Tensor exact = numbersOf(value.exact);
    const at::Tensor reference = numbersOf(value.reference);
    std::vector<at::Tensor> others;
    for (const at::Tensor& other : alternatives) {
        if (other.sizes() == value.computed.sizes()) {
            others.push_back(numbersOf(other));
        }
    }
    const std::int64_t count = computed.numel();
    const double* m = computed.const_data_ptr<double>();
    const double* e = exact.const_data_ptr<double>();
    const double* r = reference.const_data_ptr<double>();
    const FloatRange range = rangeOf(value.computed.scalar_type());
    const double computedIn = std::max(std::min(range.roundoff, std::ldexp(1.0, -24)), value.productRoundoff);
    const double largest = largestMagnitude(e, count);
    const double common = 16 * computedIn * largest + range.smallest + sensitivity;
    // Beside results that the dtype cannot hold, partial sums of others overflow too.
    const bool mayOverflow =
        range.roundoff > 0 && (largest >= range.largest || value.largestSum >= range.largest);
    error.total = error.own = error.inherited = {};
    error.worstIndex.clear();
    double worst = -infinite;
    std::int64_t worstAt = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double unit = unitAt(r[i], range);
        grow(error.total, distance(m[i], r[i], range), unit);
        grow(error.inherited, distance(e[i], r[i], {}), unit);
        double own = distance(m[i], e[i], range);
        grow(error.own, own, unitAt(e[i], range));
        if (mayOverflow && !std::isfinite(m[i])) {
            own = 0;
        }
        for (const at::Tensor& other : others) {
            own = std::min(own, distance(m[i], other.const_data_ptr<double>()[i], range));
        }
        const double allowed = range.roundoff == 0
                                   ? 0
                                   : (std::isfinite(e[i]) ? 2 * range.roundoff * std::abs(e[i]) : 0) + common;
        if (own - allowed > worst) {
            worst = own - allowed;
            worstAt = i;
            error.allowed = allowed;
        }
    }
    const double scale = std::max(largestMagnitude(r, count), 1e-300);
    error.total.relative = error.total.absolute / scale;
    error.own.relative = error.own.absolute / scale;
    error.inherited.relative = error.inherited.absolute / scale;
    error.verdict = worst > 0 ? session::NodeVerdict::Wrong : session::NodeVerdict::Explained;
    if (count > 0) {
        error.worstIndex = elementIndex(value.computed.is_complex() ? worstAt / 2 : worstAt, value.computed);
        error.worstValue = m[worstAt];
        error.worstExpected = e[worstAt];
    }
}

double largestSumOf(std::span<const at::Tensor> inputs) {
    double largest = 1;
    double elements = 1;
    for (const at::Tensor& input : inputs) {
        if (input.numel() > 0 && (input.is_floating_point() || input.is_complex())) {
            const at::Tensor numbers = numbersOf(input);
            largest = std::max(largest, largestMagnitude(numbers.const_data_ptr<double>(), numbers.numel()));
            elements = std::max(elements, static_cast<double>(input.numel()));
        }
    }
    return largest * largest * elements;
}

bool overflowsInside(const ComparedValue& value) {
    const FloatRange range = rangeOf(value.computed.scalar_type());
    if (range.roundoff == 0 || value.largestSum < range.largest) {
        return false;
    }
    const at::Tensor computed = numbersOf(value.computed);
    const at::Tensor exact = numbersOf(value.exact);
    return computed.isfinite().logical_not().logical_and(exact.abs().lt(range.largest)).any().item().toBool();
}

double largestDifference(const at::Tensor& left, const at::Tensor& right) {
    const at::Tensor one = numbersOf(left);
    const at::Tensor other = numbersOf(right);
    const double* l = one.const_data_ptr<double>();
    const double* r = other.const_data_ptr<double>();
    double largest = 0;
    for (std::int64_t i = 0; i < one.numel(); ++i) {
        const double difference = std::abs(l[i] - r[i]);
        largest = std::isfinite(difference) ? std::max(largest, difference) : largest;
    }
    return largest;
}

std::vector<at::Tensor> resultsNearby(ReferenceFrame& reference, const ir::Graph& graph, ir::NodeId node,
                                      const NodeValues& values, at::Generator& shifts) {
    double roundoff = std::ldexp(1.0, -24);
    for (const at::Tensor& computed : values.results) {
        roundoff = std::max(roundoff, aot::unitRoundoff(dtypeOf(computed.scalar_type())));
    }
    std::vector<at::Tensor> nearby;
    for (const double sign : {0.0, 1.0, -1.0}) {
        std::vector<c10::IValue> changed(values.inputs.size());
        for (const ir::NodeId input : graph.inputs(node)) {
            changed[input.index()] = mapTensors(values.inputs[input.index()], [&](const at::Tensor& tensor) {
                return shifted(tensor, roundoff, sign, shifts);
            });
        }
        for (const at::Tensor& tensor :
             tensorsIn(reference.compute(node, changed, values.own, nullptr).value)) {
            nearby.push_back(tensor);
        }
    }
    return nearby;
}

void measureErrors(const ComparedValue& compared, std::span<const at::Tensor> nearby, std::size_t output,
                   std::size_t outputs, session::NodeError& error) {
    std::vector<at::Tensor> alternatives;
    for (std::size_t at = output; at < nearby.size(); at += outputs) {
        alternatives.push_back(nearby[at]);
    }
    const bool isFloat = compared.computed.is_floating_point() || compared.computed.is_complex();
    double sensitivity = 0;
    if (isFloat && !alternatives.empty() && alternatives[0].sizes() == compared.exact.sizes()) {
        sensitivity = factorOf(compared.computed) * largestDifference(alternatives[0], compared.exact);
    }
    measureErrors(compared, sensitivity, alternatives, error);
}

} // namespace aotscope::torch
