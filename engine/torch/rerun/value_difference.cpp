#include "rerun/value_difference.h"

#include "run/execution/metadata_check.h"
#include "run/state/tensor_copy.h"

#include <ATen/ops/isfinite.h>

#include <cmath>
#include <limits>
#include <string>

namespace aotscope::torch {

namespace {

bool hasNumbers(const at::Tensor& tensor) {
    return tensor.layout() == c10::kStrided && !tensor.is_quantized() && tensor.has_storage();
}

std::vector<std::int64_t> indexOf(std::int64_t element, at::IntArrayRef sizes) {
    std::vector<std::int64_t> index(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0;) {
        index[i] = element % sizes[i];
        element /= sizes[i];
    }
    return index;
}

/// As a double; a complex number's magnitude.
double numberAt(const at::Tensor& flat, std::int64_t element) {
    const c10::Scalar number = flat[element].item();
    return number.isComplex() ? std::abs(number.toComplexDouble()) : number.toDouble();
}

} // namespace

session::ValueDifference valueDifference(const at::Tensor& computed, const at::Tensor& expected) {
    session::ValueDifference difference;
    if (computed.sizes() != expected.sizes()) {
        difference.incomparable =
            "other sizes: " + sizesText(computed.sizes()) + " and " + sizesText(expected.sizes());
        return difference;
    }
    if (!hasNumbers(computed) || !hasNumbers(expected)) {
        difference.incomparable = "no tensors of plain numbers";
        return difference;
    }
    if (computed.numel() == 0) {
        return difference;
    }
    const c10::ScalarType type =
        computed.is_complex() || expected.is_complex() ? c10::kComplexDouble : c10::kDouble;
    const at::Tensor left = withElements(computed).to(c10::kCPU, type).reshape({-1});
    const at::Tensor right = withElements(expected).to(c10::kCPU, type).reshape({-1});
    const at::Tensor bothNan = left.ne(left).logical_and(right.ne(right));
    at::Tensor distance = left.sub(right).abs().masked_fill(left.eq(right).logical_or(bothNan), 0);
    distance = distance.masked_fill(distance.ne(distance), std::numeric_limits<double>::infinity());
    const auto worst = distance.argmax().item<std::int64_t>();
    difference.max = distance[worst].item<double>();
    difference.mean = distance.mean().item<double>();
    difference.worstIndex = indexOf(worst, computed.sizes());
    difference.worstValue = numberAt(left, worst);
    difference.worstExpected = numberAt(right, worst);
    const at::Tensor magnitudes = right.abs();
    const double largest =
        magnitudes.masked_fill(at::isfinite(magnitudes).logical_not(), 0).max().item<double>();
    difference.relative = difference.max == 0 ? 0
                          : largest == 0      ? std::numeric_limits<double>::infinity()
                                              : difference.max / largest;
    return difference;
}

} // namespace aotscope::torch
