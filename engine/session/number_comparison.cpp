#include "session/number_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace aotscope::session {
namespace {

template<typename Number>
std::vector<double> widened(const std::string& bytes) {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return {numbers.begin(), numbers.end()};
}

/// bfloat16 is the upper half of a float32.
std::vector<double> widenedBfloat16(const std::string& bytes) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + i, sizeof half);
        const std::uint32_t wide = std::uint32_t(half) << 16U;
        float value = 0;
        std::memcpy(&value, &wide, sizeof value);
        numbers.push_back(value);
    }
    return numbers;
}

std::vector<double> asDoubles(const TensorData& data) {
    const std::string& dtype = data.dtype;
    return dtype == "float32" || dtype == "complex64"    ? widened<float>(data.bytes)
           : dtype == "float64" || dtype == "complex128" ? widened<double>(data.bytes)
           : dtype == "int64"                            ? widened<std::int64_t>(data.bytes)
           : dtype == "int32"                            ? widened<std::int32_t>(data.bytes)
           : dtype == "bfloat16"                         ? widenedBfloat16(data.bytes)
                                                         : widened<std::uint8_t>(data.bytes);
}

double distance(const TensorData& made, const TensorData& recorded) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (made.dtype != recorded.dtype || made.shape != recorded.shape) {
        return infinite;
    }
    if (made.bytes == recorded.bytes) {
        return 0;
    }
    const std::vector<double> ours = asDoubles(made);
    const std::vector<double> theirs = asDoubles(recorded);
    double largest = 0;
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) != std::isnan(theirs[i])) {
            return infinite;
        }
        if (!std::isnan(ours[i]) && ours[i] != theirs[i]) {
            worst = std::max(worst, std::abs(ours[i] - theirs[i]));
        }
        if (std::isfinite(theirs[i])) {
            largest = std::max(largest, std::abs(theirs[i]));
        }
    }
    return worst == 0 ? 0 : worst / std::max(largest, 1e-30);
}

} // namespace

double allowedDistance(const ir::Graph& graph) {
    double precision = 1e-5;
    // What was rounded to a narrow float stays apart by its last place.
    for (const ir::NodeId id : graph.order()) {
        if (const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value)) {
            precision = std::max(precision, meta->dtype == ir::DType::BFloat16  ? 1e-2
                                            : meta->dtype == ir::DType::Float16 ? 1e-3
                                                                                : 0.0);
        }
    }
    return precision;
}

double largestMagnitude(const TensorData& data) {
    double largest = 0;
    for (const double number : asDoubles(data)) {
        if (std::isfinite(number)) {
            largest = std::max(largest, std::abs(number));
        }
    }
    return largest;
}

NumberComparison compareNumbers(const ir::Graph& graph, const std::vector<TensorData>& made,
                                const std::vector<std::optional<TensorData>>& expected) {
    NumberComparison comparison;
    comparison.allowed = allowedDistance(graph);
    comparison.sameCount = made.size() == expected.size();
    for (std::size_t i = 0; i < std::min(made.size(), expected.size()); ++i) {
        if (!expected[i]) {
            continue;
        }
        ++comparison.tensors;
        const double apart = distance(made[i], *expected[i]);
        comparison.worst = std::max(comparison.worst, apart);
        if (!(apart <= comparison.allowed)) {
            comparison.apart.push_back(i);
        }
    }
    return comparison;
}

} // namespace aotscope::session
