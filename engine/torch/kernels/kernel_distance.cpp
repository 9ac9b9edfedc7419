#include "torch/kernels/kernel_distance.h"

#include "dispatch/dtypes.h"
#include "run/state/tensor_copy.h"

#include "aot/tensor_elements.h"

#include "base/formatted.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace aotscope::torch {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// On the CPU.
at::Tensor asDoubles(const at::Tensor& tensor) {
    const at::Tensor here = readable(tensor);
    // Float8 converts to float only.
    const at::Tensor plain =
        here.is_floating_point() && here.element_size() == 1 ? here.to(at::kFloat) : here;
    return plain.to(at::kDouble).contiguous();
}

std::string worstText(double computed, double expected, std::int64_t at) {
    return base::formatted("%.9g in place of %.9g at element %lld", computed, expected,
                           static_cast<long long>(at));
}

double difference(double computed, double expected) {
    if (computed == expected || (std::isnan(computed) && std::isnan(expected))) {
        return 0;
    }
    const double apart = std::abs(computed - expected);
    return std::isfinite(apart) ? apart : infinity;
}

/// The smallest number above 0, or below which a processor may round to 0.
double smallestOf(c10::ScalarType dtype) {
    switch (dtype) {
    case at::kHalf:
        return 0x1p-24;
    case at::kFloat8_e4m3fn:
        return 0x1p-9;
    case at::kFloat8_e5m2:
        return 0x1p-16;
    case at::kFloat8_e4m3fnuz:
        return 0x1p-10;
    case at::kFloat8_e5m2fnuz:
        return 0x1p-17;
    default:
        return dtype == at::kDouble ? 0x1p-1022 : 0x1p-126;
    }
}

/// How far each element is from `exact`; 0 where one rounding to `roundedTo` explains it.
std::vector<double> errorsOf(const at::Tensor& tensor, const at::Tensor& exact,
                             std::optional<c10::ScalarType> roundedTo) {
    const double roundoff = roundedTo ? aot::unitRoundoff(dtypeOf(*roundedTo)) : 0;
    const double smallest = roundoff > 0 ? smallestOf(*roundedTo) : 0;
    const at::Tensor doubles = asDoubles(tensor);
    const double* own = doubles.const_data_ptr<double>();
    const double* expected = exact.const_data_ptr<double>();
    std::vector<double> errors;
    for (std::int64_t i = 0; i < doubles.numel(); ++i) {
        const double error = difference(own[i], expected[i]);
        const double rounding =
            std::isfinite(expected[i]) ? 2 * roundoff * std::abs(expected[i]) + smallest : 0;
        errors.push_back(error > rounding ? error : 0);
    }
    return errors;
}

} // namespace

double largestMagnitude(const at::Tensor& tensor) {
    const at::Tensor numbers = asDoubles(tensor);
    const double* data = numbers.const_data_ptr<double>();
    double largest = 0;
    for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        const double magnitude = std::abs(data[i]);
        // Masks hold the lowest number of a dtype, which says nothing of the others.
        const bool isEnd = magnitude >= 3.38e38 && magnitude <= 3.41e38;
        if (std::isfinite(magnitude) && !isEnd && magnitude > largest) {
            largest = magnitude;
        }
    }
    return largest;
}

bool isFinite(const at::Tensor& tensor) {
    const at::Tensor numbers = asDoubles(tensor);
    const double* data = numbers.const_data_ptr<double>();
    return std::all_of(data, data + numbers.numel(), [](double number) { return std::isfinite(number); });
}

bool mayOverflow(double magnitude, c10::ScalarType dtype) {
    return magnitude > (dtype == at::kDouble ? 1e150 : 1e18);
}

KernelDistance distanceOf(const at::Tensor& computed, const at::Tensor& expected,
                          const GroupAccuracy& accuracy) {
    KernelDistance distance;
    if (computed.sizes() != expected.sizes() || computed.scalar_type() != expected.scalar_type()) {
        distance.error = infinity;
        distance.worst = "another size or dtype";
        return distance;
    }
    if (!expected.is_floating_point() && accuracy.roundoff == 0) {
        // Integers that do not fit into doubles are compared as they are.
        distance.identical = computed.equal(expected);
        distance.error = distance.identical ? 0 : 1;
        distance.worst = distance.identical ? "" : "other integers";
    }
    const at::Tensor left = asDoubles(computed);
    const at::Tensor right = asDoubles(expected);
    const double* madeData = left.const_data_ptr<double>();
    const double* expectedData = right.const_data_ptr<double>();
    bool identical = true;
    std::int64_t apart = 0;
    for (std::int64_t i = 0; i < left.numel(); ++i) {
        const double error =
            accuracy.overflows && !(std::isfinite(madeData[i]) && std::isfinite(expectedData[i]))
                ? 0
                : difference(madeData[i], expectedData[i]);
        identical = identical && error == 0;
        apart += error == 0 ? 0 : 1;
        if (error > distance.error || (error > 0 && distance.worst.empty())) {
            distance.error = std::max(distance.error, error);
            distance.worst = worstText(madeData[i], expectedData[i], i);
        }
    }
    distance.identical = identical;
    if (accuracy.roundoff == 0) {
        return distance;
    }
    const double magnitude = largestMagnitude(expected);
    if (!expected.is_floating_point()) {
        // Comparisons and roundings to integers may differ in a few elements near the threshold.
        distance.allowed = apart * 1000 <= left.numel() ? std::max(1.0, distance.error) : 0;
        return distance;
    }
    const double sums = expected.scalar_type() == at::kDouble ? 1.2e-16 : 6e-8;
    const double lost = 8 * sums * accuracy.cancelled;
    distance.lost = lost > 0 && magnitude > 0 ? lost / magnitude : 0;
    distance.allowed =
        smallestOf(expected.scalar_type()) + lost +
        4 * accuracy.roundoff * std::sqrt(static_cast<double>(accuracy.roundings)) * magnitude +
        (accuracy.terms > 1 ? 2 * sums * std::sqrt(static_cast<double>(accuracy.terms)) * accuracy.magnitude
                            : 0);
    return distance;
}

bool isAsNear(const at::Tensor& computed, const at::Tensor& exact, std::span<const at::Tensor> correct) {
    const auto fits = [&](const at::Tensor& tensor) {
        return tensor.defined() && exact.defined() && tensor.sizes() == exact.sizes();
    };
    if (!fits(computed) || !std::ranges::all_of(correct, fits) ||
        computed.scalar_type() != correct.front().scalar_type()) {
        return false;
    }
    const at::Tensor numbers = asDoubles(exact);
    std::vector<double> own = errorsOf(computed, numbers, computed.scalar_type());
    std::vector<double> allowed(own.size(), 0);
    for (const at::Tensor& other : correct) {
        std::ranges::transform(errorsOf(other, numbers, std::nullopt), allowed, allowed.begin(),
                               [](double error, double most) { return std::max(error, most); });
    }
    std::ranges::sort(own);
    std::ranges::sort(allowed);
    return std::ranges::equal(own, allowed, [](double error, double most) { return error <= 4 * most; });
}

} // namespace aotscope::torch
