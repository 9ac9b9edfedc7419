#include "run/statistics.h"

#include "dispatch/dtypes.h"
#include "run/tensor_copy.h"

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
    std::int64_t zero = 0;
    std::int64_t subnormal = 0;
    /// The dtype's smallest normal number; 0 for dtypes that are not floats.
    double smallestNormal = 0;

    void add(double value) {
        if (!std::isfinite(value)) {
            (std::isnan(value) ? nan : infinite) += 1;
            return;
        }
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        sum += value;
        ++finite;
        zero += value == 0 ? 1 : 0;
        subnormal += value != 0 && std::abs(value) < smallestNormal ? 1 : 0;
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

/// Counts finite elements in ranges of equal width.
struct Bins {
    double from = 0;
    double perUnit = 0;
    std::vector<std::uint64_t> counts;

    void add(double value) {
        if (std::isfinite(value)) {
            const auto bin = static_cast<std::size_t>(std::max((value - from) * perUnit, 0.0));
            ++counts[std::min(bin, counts.size() - 1)];
        }
    }
};

/// 0 for dtypes that are not floats.
double smallestNormal(c10::ScalarType type) {
    switch (type) {
    case c10::kDouble:
    case c10::kComplexDouble:
        return std::numeric_limits<double>::min();
    case c10::kFloat:
    case c10::kComplexFloat:
    case c10::kBFloat16:
        return std::numeric_limits<float>::min();
    case c10::kHalf:
    case c10::kFloat8_e5m2:
        return std::ldexp(1.0, -14);
    case c10::kFloat8_e4m3fn:
        return std::ldexp(1.0, -6);
    case c10::kFloat8_e4m3fnuz:
        return std::ldexp(1.0, -7);
    case c10::kFloat8_e5m2fnuz:
        return std::ldexp(1.0, -15);
    default:
        return 0;
    }
}

/// Visits the elements along the dimensions from `dim` on; repetitions through stride 0 are visited once.
template<typename T, typename Sink>
void walk(const T* data, const at::Tensor& tensor, std::int64_t dim, Sink& tally) {
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

template<typename T, typename Sink>
void visit(const at::Tensor& tensor, Sink& sink) {
    const auto* data = static_cast<const T*>(tensor.const_data_ptr());
    if (tensor.is_non_overlapping_and_dense()) {
        const std::int64_t count = tensor.numel();
        for (std::int64_t i = 0; i < count; ++i) {
            sink.add(number(data[i]));
        }
    } else if (tensor.numel() != 0) {
        walk(data, tensor, 0, sink);
    }
}

/// Adds every stored element to `sink` as a double; false for a dtype without numbers.
template<typename Sink>
bool visit(const at::Tensor& tensor, Sink& sink) {
    switch (tensor.scalar_type()) {
    case c10::kDouble:
        visit<double>(tensor, sink);
        return true;
    case c10::kFloat:
        visit<float>(tensor, sink);
        return true;
    case c10::kHalf:
        visit<c10::Half>(tensor, sink);
        return true;
    case c10::kBFloat16:
        visit<c10::BFloat16>(tensor, sink);
        return true;
    case c10::kFloat8_e4m3fn:
        visit<c10::Float8_e4m3fn>(tensor, sink);
        return true;
    case c10::kFloat8_e5m2:
        visit<c10::Float8_e5m2>(tensor, sink);
        return true;
    case c10::kFloat8_e4m3fnuz:
        visit<c10::Float8_e4m3fnuz>(tensor, sink);
        return true;
    case c10::kFloat8_e5m2fnuz:
        visit<c10::Float8_e5m2fnuz>(tensor, sink);
        return true;
    case c10::kComplexFloat:
        visit<c10::complex<float>>(tensor, sink);
        return true;
    case c10::kComplexDouble:
        visit<c10::complex<double>>(tensor, sink);
        return true;
    case c10::kChar:
        visit<std::int8_t>(tensor, sink);
        return true;
    case c10::kShort:
        visit<std::int16_t>(tensor, sink);
        return true;
    case c10::kInt:
        visit<std::int32_t>(tensor, sink);
        return true;
    case c10::kLong:
        visit<std::int64_t>(tensor, sink);
        return true;
    case c10::kByte:
        visit<std::uint8_t>(tensor, sink);
        return true;
    case c10::kUInt16:
        visit<std::uint16_t>(tensor, sink);
        return true;
    case c10::kUInt32:
        visit<std::uint32_t>(tensor, sink);
        return true;
    case c10::kUInt64:
        visit<std::uint64_t>(tensor, sink);
        return true;
    case c10::kBool:
        visit<bool>(tensor, sink);
        return true;
    default:
        return false;
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

session::TensorSummary summarize(const at::Tensor& seen, bool statistics, std::size_t bins) {
    session::TensorSummary summary;
    summary.dtype = dtypeText(seen.scalar_type());
    summary.shape = seen.sizes().vec();
    if (seen.layout() != c10::kStrided) {
        return summary;
    }
    summary.stride = seen.strides().vec();
    summary.bytes = seen.numel() * static_cast<std::int64_t>(seen.element_size());
    if (!statistics || seen.numel() == 0 || seen.is_meta()) {
        return summary;
    }
    const at::Tensor tensor = readable(seen);
    if (tensor.const_data_ptr() == nullptr) {
        return summary;
    }
    Tally tally;
    tally.smallestNormal = smallestNormal(tensor.scalar_type());
    if (!visit(tensor, tally)) {
        return summary;
    }
    const std::int64_t times = repeats(tensor);
    summary.nanCount = tally.nan * times;
    summary.infCount = tally.infinite * times;
    summary.zeroCount = tally.zero * times;
    summary.subnormalCount = tally.subnormal * times;
    if (tally.finite == 0) {
        return summary;
    }
    summary.minimum = tally.least;
    summary.maximum = tally.greatest;
    summary.mean = tally.sum / static_cast<double>(tally.finite);
    if (bins > 0) {
        const double width = tally.greatest - tally.least;
        Bins counted{tally.least, width > 0 ? static_cast<double>(bins) / width : 0,
                     std::vector<std::uint64_t>(bins, 0)};
        visit(tensor, counted);
        for (std::uint64_t& count : counted.counts) {
            count *= static_cast<std::uint64_t>(times);
        }
        summary.histogram = session::Histogram{tally.least, tally.greatest, std::move(counted.counts)};
    }
    return summary;
}

} // namespace aotscope::torch
