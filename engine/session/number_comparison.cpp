#include "session/number_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
double fromBfloat16(std::uint16_t half) {
    const std::uint32_t wide = std::uint32_t(half) << 16U;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// IEEE 754 binary16: a sign, five bits of exponent, ten of fraction.
double fromFloat16(std::uint16_t half) {
    const int exponent = (half >> 10U) & 0x1fU;
    const int fraction = half & 0x3ffU;
    const double size = exponent == 0x1f ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                          : std::numeric_limits<double>::quiet_NaN())
                        : exponent == 0  ? std::ldexp(fraction, -24)
                                         : std::ldexp(fraction + 0x400, exponent - 25);
    return (half & 0x8000U) != 0 ? -size : size;
}

std::vector<double> widened(const std::string& bytes, double (*widen)(std::uint16_t)) {
    std::vector<double> numbers;
    numbers.reserve(bytes.size() / sizeof(std::uint16_t));
    for (std::size_t i = 0; i + 1 < bytes.size(); i += sizeof(std::uint16_t)) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + i, sizeof half);
        numbers.push_back(widen(half));
    }
    return numbers;
}

/// Nothing: numbers of a type that is not read here, which are equal or not.
std::optional<std::vector<double>> tryDoubles(const aot::TensorData& data) {
    const std::string& dtype = data.dtype;
    if (dtype == "float16") {
        return widened(data.bytes, fromFloat16);
    }
    if (dtype == "bfloat16") {
        return widened(data.bytes, fromBfloat16);
    }
    return dtype == "float32" || dtype == "complex64"    ? std::optional(widened<float>(data.bytes))
           : dtype == "float64" || dtype == "complex128" ? std::optional(widened<double>(data.bytes))
           : dtype == "int64"                            ? std::optional(widened<std::int64_t>(data.bytes))
           : dtype == "int32"                            ? std::optional(widened<std::int32_t>(data.bytes))
           : dtype == "int16"                            ? std::optional(widened<std::int16_t>(data.bytes))
           : dtype == "int8"                             ? std::optional(widened<std::int8_t>(data.bytes))
           : dtype == "uint8" || dtype == "bool"         ? std::optional(widened<std::uint8_t>(data.bytes))
                                                         : std::nullopt;
}

bool isFloatingPoint(const aot::TensorData& data) {
    return data.dtype.starts_with("float") || data.dtype.starts_with("bfloat") ||
           data.dtype.starts_with("complex");
}

struct Distance {
    double worst = std::numeric_limits<double>::infinity();
    /// Numbers that are NaN on both sides.
    std::size_t notNumbers = 0;
};

Distance distance(const aot::TensorData& made, const aot::TensorData& recorded) {
    if (made.dtype != recorded.dtype || made.shape != recorded.shape) {
        return {};
    }
    if (made.bytes == recorded.bytes && !isFloatingPoint(made)) {
        return {.worst = 0};
    }
    const auto mine = tryDoubles(made);
    const auto others = tryDoubles(recorded);
    if (!mine || !others || mine->size() != others->size()) {
        return {.worst = made.bytes == recorded.bytes ? 0 : Distance().worst};
    }
    const std::vector<double>& ours = *mine;
    const std::vector<double>& theirs = *others;
    double largest = 0;
    double worst = 0;
    std::size_t notNumbers = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) != std::isnan(theirs[i])) {
            return {};
        }
        if (std::isnan(ours[i])) {
            ++notNumbers;
        } else if (ours[i] != theirs[i]) {
            worst = std::max(worst, std::abs(ours[i] - theirs[i]));
        }
        if (std::isfinite(theirs[i])) {
            largest = std::max(largest, std::abs(theirs[i]));
        }
    }
    return {worst == 0 ? 0 : worst / std::max(largest, 1e-30), notNumbers};
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

double largestMagnitude(const aot::TensorData& data) {
    const auto numbers = tryDoubles(data);
    if (!numbers) {
        return std::numeric_limits<double>::infinity();
    }
    double largest = 0;
    for (const double number : *numbers) {
        if (std::isfinite(number)) {
            largest = std::max(largest, std::abs(number));
        }
    }
    return largest;
}

std::size_t leaveOutRounding(const std::vector<ir::Descriptor>& descriptors,
                             const std::vector<aot::TensorData>& made,
                             std::vector<std::optional<aot::TensorData>>& expected, double allowed) {
    std::vector<std::size_t> gradients;
    double largest = 0;
    for (std::size_t i = 0; i < std::min({descriptors.size(), made.size(), expected.size()}); ++i) {
        const ir::AOTOutput* output = descriptors[i].output();
        if (output != nullptr && ir::isGrad(*output) && expected[i]) {
            gradients.push_back(i);
            largest = std::max(largest, largestMagnitude(*expected[i]));
        }
    }
    return static_cast<std::size_t>(std::ranges::count_if(gradients, [&](std::size_t i) {
        const bool isRounding = made[i].bytes != expected[i]->bytes &&
                                largestMagnitude(made[i]) < allowed * largest &&
                                largestMagnitude(*expected[i]) < allowed * largest;
        if (isRounding) {
            expected[i].reset();
        }
        return isRounding;
    }));
}

NumberComparison compareNumbers(const ir::Graph& graph, const std::vector<aot::TensorData>& made,
                                const std::vector<std::optional<aot::TensorData>>& expected) {
    NumberComparison comparison;
    comparison.allowed = allowedDistance(graph);
    comparison.sameCount = made.size() == expected.size();
    for (std::size_t i = 0; i < std::min(made.size(), expected.size()); ++i) {
        if (!expected[i]) {
            continue;
        }
        ++comparison.tensors;
        const auto [apart, notNumbers] = distance(made[i], *expected[i]);
        comparison.worst = std::max(comparison.worst, apart);
        comparison.notNumbers += notNumbers;
        if (!(apart <= comparison.allowed)) {
            comparison.apart.push_back(i);
        }
    }
    return comparison;
}

} // namespace aotscope::session
