#include "run/tensor_distance.h"

#include "dispatch/dtypes.h"

#include "aot/tensor_elements.h"

#include <ATen/ops/isnan.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>

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

} // namespace

std::optional<double> relativeDistance(const at::Tensor& tensor, const at::Tensor& from) {
    if (from.numel() == 0) {
        return std::nullopt;
    }
    const at::Tensor left = doubles(tensor);
    const at::Tensor right = doubles(from);
    const at::Tensor same = left.eq(right).logical_or(at::isnan(left).logical_and(at::isnan(right)));
    const double worst = at::where(same, at::zeros_like(left), left.sub(right).abs()).max().item().toDouble();
    if (worst == 0) {
        return 0.0;
    }
    const at::Tensor finite = right.abs().lt(std::numeric_limits<double>::infinity());
    const double largest = at::where(finite, right.abs(), at::zeros_like(right)).max().item().toDouble();
    return !std::isfinite(worst) ? std::numeric_limits<double>::infinity()
           : largest > 0         ? worst / largest
                                 : worst;
}

double closeDistance(c10::ScalarType type) {
    return 4 * aot::unitRoundoff(dtypeOf(type));
}

} // namespace aotscope::torch
