#include "run/statistics.h"

#include "dispatch/dtypes.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e4m3fnuz.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Float8_e5m2fnuz.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

struct Tally {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t infinite = 0;

    void add(double value) {
        if (!std::isfinite(value)) {
            (std::isnan(value) ? nan : infinite) += 1;
            return;
        }
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        sum += value;
        ++finite;
    }
};

template<typename T>
double number(const T& value) {
    return static_cast<double>(value);
}
template<typename T>
double number(const c10::complex<T>& value) {
    return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}
double number(const c10::Half& value) {
    return static_cast<float>(value);
}
double number(const c10::BFloat16& value) {
    return static_cast<float>(value);
}
double number(const c10::Float8_e4m3fn& value) {
    return static_cast<float>(value);
}
double number(const c10::Float8_e5m2& value) {
    return static_cast<float>(value);
}
double number(const c10::Float8_e4m3fnuz& value) {
    return static_cast<float>(value);
}
double number(const c10::Float8_e5m2fnuz& value) {
    return static_cast<float>(value);
}

/// Visits the elements along the dimensions from `dim` on; repetitions through stride 0 are visited once.
template<typename T>
void walk(const T* data, const at::Tensor& tensor, std::int64_t dim, Tally& tally) {
    if (dim == tensor.dim()) {
        tally.add(number(*data));
        return;
    }
    const std::int64_t size = tensor.stride(dim) == 0 ? 1 : tensor.size(dim);
    const std::int64_t stride = tensor.stride(dim);
    if (dim == tensor.dim() - 1) {
        for (std::int64_t i = 0; i < size; ++i) {
            tally.add(number(data[i * stride]));
        }
        return;
    }
    for (std::int64_t i = 0; i < size; ++i) {
        walk(data + i * stride, tensor, dim + 1, tally);
    }
}

template<typename T>
Tally tallyOf(const at::Tensor& tensor) {
    Tally tally;
    const auto* data = static_cast<const T*>(tensor.const_data_ptr());
    if (tensor.is_non_overlapping_and_dense()) {
        const std::int64_t count = tensor.numel();
        for (std::int64_t i = 0; i < count; ++i) {
            tally.add(number(data[i]));
        }
    } else if (tensor.numel() != 0) {
        walk(data, tensor, 0, tally);
    }
    return tally;
}

std::optional<Tally> tallyOf(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
    case c10::kDouble:
        return tallyOf<double>(tensor);
    case c10::kFloat:
        return tallyOf<float>(tensor);
    case c10::kHalf:
        return tallyOf<c10::Half>(tensor);
    case c10::kBFloat16:
        return tallyOf<c10::BFloat16>(tensor);
    case c10::kFloat8_e4m3fn:
        return tallyOf<c10::Float8_e4m3fn>(tensor);
    case c10::kFloat8_e5m2:
        return tallyOf<c10::Float8_e5m2>(tensor);
    case c10::kFloat8_e4m3fnuz:
        return tallyOf<c10::Float8_e4m3fnuz>(tensor);
    case c10::kFloat8_e5m2fnuz:
        return tallyOf<c10::Float8_e5m2fnuz>(tensor);
    case c10::kComplexFloat:
        return tallyOf<c10::complex<float>>(tensor);
    case c10::kComplexDouble:
        return tallyOf<c10::complex<double>>(tensor);
    case c10::kChar:
        return tallyOf<std::int8_t>(tensor);
    case c10::kShort:
        return tallyOf<std::int16_t>(tensor);
    case c10::kInt:
        return tallyOf<std::int32_t>(tensor);
    case c10::kLong:
        return tallyOf<std::int64_t>(tensor);
    case c10::kByte:
        return tallyOf<std::uint8_t>(tensor);
    case c10::kUInt16:
        return tallyOf<std::uint16_t>(tensor);
    case c10::kUInt32:
        return tallyOf<std::uint32_t>(tensor);
    case c10::kUInt64:
        return tallyOf<std::uint64_t>(tensor);
    case c10::kBool:
        return tallyOf<bool>(tensor);
    default:
        return std::nullopt;
    }
}

/// How often dimensions of stride 0 repeat each stored element.
std::int64_t repeats(const at::Tensor& tensor) {
    std::int64_t times = 1;
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
        if (tensor.stride(dim) == 0 && !tensor.is_non_overlapping_and_dense()) {
            times *= tensor.size(dim);
        }
    }
    return times;
}

} // namespace

session::TensorSummary summarize(const at::Tensor& tensor, bool statistics) {
    session::TensorSummary summary;
    summary.dtype = dtypeText(tensor.scalar_type());
    summary.shape = tensor.sizes().vec();
    if (tensor.layout() != c10::kStrided) {
        return summary;
    }
    summary.stride = tensor.strides().vec();
    summary.bytes = tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
    if (!statistics || tensor.numel() == 0 || !tensor.is_cpu() || tensor.const_data_ptr() == nullptr) {
        return summary;
    }
    if (const std::optional<Tally> tally = tallyOf(tensor)) {
        const std::int64_t times = repeats(tensor);
        summary.nanCount = tally->nan * times;
        summary.infCount = tally->infinite * times;
        if (tally->finite != 0) {
            summary.minimum = tally->least;
            summary.maximum = tally->greatest;
            summary.mean = tally->sum / static_cast<double>(tally->finite);
        }
    }
    return summary;
}

} // namespace aotscope::torch
