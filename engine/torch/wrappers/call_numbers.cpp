#include "wrappers/call_numbers.h"

#include "dispatch/dtypes.h"

#include <ATen/ops/isnan.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

double unitOf(c10::ScalarType type) {
    switch (c10::toRealValueType(type)) {
    case c10::ScalarType::Double:
        return 1e-10;
    case c10::ScalarType::Float:
        return 1e-5;
    case c10::ScalarType::Half:
        return 4e-3;
    case c10::ScalarType::BFloat16:
        return 3e-2;
    default:
        return c10::isFloatingType(type) ? 0.25 : 0;
    }
}

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

std::optional<double> relativeError(const at::Tensor& compiled, const at::Tensor& eager) {
    if (eager.numel() == 0) {
        return std::nullopt;
    }
    const at::Tensor left = doubles(compiled);
    const at::Tensor right = doubles(eager);
    const at::Tensor same = left.eq(right).logical_or(at::isnan(left).logical_and(at::isnan(right)));
    const double worst = at::where(same, at::zeros_like(left), left.sub(right).abs()).max().item().toDouble();
    if (worst == 0) {
        return 0.0;
    }
    const at::Tensor finite = right.abs().lt(std::numeric_limits<double>::infinity());
    const double largest = at::where(finite, right.abs(), at::zeros_like(right)).max().item().toDouble();
    return std::isfinite(worst) && largest > 0 ? worst / largest : std::numeric_limits<double>::infinity();
}

CallTolerance::CallTolerance(const ir::Graph& graph) {
    for (const ir::NodeId id : graph.order()) {
        const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value);
        const auto type = meta == nullptr ? std::nullopt : scalarType(meta->dtype);
        if (type && (c10::isFloatingType(*type) || c10::isComplexType(*type))) {
            m_ofGraph = std::max(m_ofGraph, unitOf(*type));
        }
    }
}

double CallTolerance::of(c10::ScalarType type) const {
    return c10::isFloatingType(type) || c10::isComplexType(type) ? std::max(m_ofGraph, unitOf(type)) : 0;
}

} // namespace aotscope::torch
