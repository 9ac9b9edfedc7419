#include "run/reference/tensor_distance.h"

#include "dispatch/dtypes.h"

#include "aot/tensor_elements.h"

#include <ATen/ops/isnan.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace aotscope::torch {

namespace {

/// The tensor as plain doubles.
at::Tensor doubles(const at::Tensor& tensor) {
    at::Tensor plain = tensor.detach().resolve_conj().resolve_neg();
    if (plain.layout() != c10::kStrided) {
        plain = plain.to_dense();
    }
    if (plain.is_quantized()) {
        plain = plain.dequantize();
    }
    return (plain.is_complex() ? at::view_as_real(plain) : plain).to(at::kDouble);
}

std::vector<double> elements(const at::Tensor& doubles) {
    const at::Tensor flat = doubles.cpu().contiguous();
    const auto* data = flat.const_data_ptr<double>();
    return {data, data + flat.numel()};
}

/// The largest difference among elements, as a fraction of the largest magnitude among them; the difference
/// itself where that is 0.
double distanceAmong(const at::Tensor& chosen, const at::Tensor& apart, const at::Tensor& magnitudes) {
    const at::Tensor none = at::zeros_like(apart);
    const double worst = at::where(chosen, apart, none).max().item().toDouble();
    const at::Tensor finite = magnitudes.lt(std::numeric_limits<double>::infinity());
    const double largest = at::where(chosen.logical_and(finite), magnitudes, none).max().item().toDouble();
    return largest > 0 ? worst / largest : worst;
}

bool haveEqualIntegers(const at::Tensor& tensor, const at::Tensor& from) {
    const c10::ScalarType type = from.scalar_type();
    const bool isWide = type == at::kLong || type == at::kUInt64;
    return !isWide || tensor.scalar_type() != type || from.layout() != c10::kStrided ||
           tensor.view(at::kLong).eq(from.view(at::kLong)).all().item().toBool();
}

} // namespace

std::optional<double> relativeDistance(const at::Tensor& tensor, const at::Tensor& from) {
    if (from.numel() == 0) {
        return std::nullopt;
    }
    const at::Tensor left = doubles(tensor);
    const at::Tensor right = doubles(from);
    const at::Tensor same = left.eq(right).logical_or(at::isnan(left).logical_and(at::isnan(right)));
    const at::Tensor apart = at::where(same, at::zeros_like(left), left.sub(right).abs());
    const double worst = apart.max().item().toDouble();
    if (worst == 0) {
        // Not every integer is a double.
        return haveEqualIntegers(tensor, from) ? 0.0 : 1.0;
    }
    if (!std::isfinite(worst)) {
        return std::numeric_limits<double>::infinity();
    }
    const at::Tensor magnitudes = right.abs();
    const double limit = aot::largerScaleFrom(elements(magnitudes));
    const at::Tensor isLarge = magnitudes.gt(limit);
    return std::max(distanceAmong(isLarge.logical_not(), apart, magnitudes),
                    distanceAmong(isLarge, apart, magnitudes));
}

double closeDistance(c10::ScalarType type) {
    return 4 * aot::unitRoundoff(dtypeOf(type));
}

} // namespace aotscope::torch
