#include "run/measuring/statistics.h"

#include "dispatch/dtypes.h"
#include "run/state/tensor_copy.h"

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
#include <type_traits>

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

/// Float types narrower than float32 convert to that alone.
template<typename T>
double number(const T& value) {
    if constexpr (std::is_class_v<T>) {
        return static_cast<float>(value);
    } else {
        return static_cast<double>(value);
    }
}
template<typename T>
double number(const c10::complex<T>& value) {
    return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
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

/// 0 for types that are not floats.
template<typename T>
double smallestNormal() {
    if constexpr (c10::is_complex<T>::value) {
        return smallestNormal<typename T::value_type>();
    } else {
        return std::numeric_limits<T>::is_integer ? 0 : number(std::numeric_limits<T>::min());
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
    if constexpr (requires { sink.smallestNormal; }) {
        sink.smallestNormal = smallestNormal<T>();
    }
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
#define AOTSCOPE_ELEMENTS(type, name)                                                                        \
    case c10::ScalarType::name:                                                                              \
        visit<type>(tensor, sink);                                                                           \
        return true;
        AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_EXCEPT_COMPLEX_HALF_F8NZ(AOTSCOPE_ELEMENTS)
        AOTSCOPE_ELEMENTS(c10::Float8_e4m3fnuz, Float8_e4m3fnuz)
        AOTSCOPE_ELEMENTS(c10::Float8_e5m2fnuz, Float8_e5m2fnuz)
        AOTSCOPE_ELEMENTS(std::uint16_t, UInt16)
        AOTSCOPE_ELEMENTS(std::uint32_t, UInt32)
        AOTSCOPE_ELEMENTS(std::uint64_t, UInt64)
#undef AOTSCOPE_ELEMENTS
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
