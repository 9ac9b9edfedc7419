#include "run/reference/difference_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace aotscope::torch {

namespace {

/// Numbers that are summed beside each other, so that an addition need not wait for the one before.
constexpr std::int64_t lanes = 8;
/// A long sum is one of the sums of such blocks, so that its rounding stays small.
constexpr std::int64_t block = 4096;

class Lanes {
public:
    void add(std::int64_t lane, double difference) {
        const auto place = static_cast<std::size_t>(lane);
        m_largest[place] = std::max(m_largest[place], difference);
        m_sums[place] += difference;
        m_squares[place] += difference * difference;
    }
    void addTo(DifferenceSums& all) const {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            all.largest = std::max(all.largest, m_largest[lane]);
            all.sum += m_sums[lane];
            all.squares += m_squares[lane];
        }
    }

private:
    std::array<double, lanes> m_largest = {};
    std::array<double, lanes> m_sums = {};
    std::array<double, lanes> m_squares = {};
};

/// `differenceAt(i)`: of the elements at that place.
template<typename DifferenceAt>
std::optional<DifferenceSums> sumsOf(std::int64_t count, DifferenceAt&& differenceAt) {
    DifferenceSums all;
    for (std::int64_t begin = 0; begin < count; begin += block) {
        const std::int64_t end = std::min(begin + block, count);
        Lanes sums;
        std::int64_t i = begin;
        for (; i + lanes <= end; i += lanes) {
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                sums.add(lane, std::abs(differenceAt(i + lane)));
            }
        }
        for (; i < end; ++i) {
            sums.add(0, std::abs(differenceAt(i)));
        }
        sums.addTo(all);
    }
    // A NaN or an infinity among the elements makes them so.
    return std::isfinite(all.sum) && std::isfinite(all.squares) ? std::optional(all) : std::nullopt;
}

template<typename Number>
std::optional<DifferenceSums> sumsOf(const at::Tensor& left, const at::Tensor& right) {
    const Number* a = left.const_data_ptr<Number>();
    const Number* b = right.const_data_ptr<Number>();
    return sumsOf(left.numel(),
                  [=](std::int64_t i) { return static_cast<double>(a[i]) - static_cast<double>(b[i]); });
}

template<typename Number>
std::optional<DifferenceSums> sumsOf(const at::Tensor& tensor) {
    const Number* numbers = tensor.const_data_ptr<Number>();
    return sumsOf(tensor.numel(), [=](std::int64_t i) { return static_cast<double>(numbers[i]); });
}

bool canBeRead(const at::Tensor& tensor) {
    return tensor.is_cpu() && !tensor.is_complex() && tensor.layout() == c10::kStrided;
}

at::Tensor dense(const at::Tensor& tensor, c10::ScalarType type) {
    return tensor.detach().resolve_neg().to(type).contiguous();
}

template<typename... Tensors>
std::optional<DifferenceSums> sumsOfType(c10::ScalarType type, const Tensors&... tensors) {
    switch (type) {
    case c10::kFloat:
        return sumsOf<float>(dense(tensors, type)...);
    case c10::kBFloat16:
        return sumsOf<c10::BFloat16>(dense(tensors, type)...);
    case c10::kHalf:
        return sumsOf<c10::Half>(dense(tensors, type)...);
    default:
        return sumsOf<double>(dense(tensors, c10::kDouble)...);
    }
}

} // namespace

std::optional<DifferenceSums> differenceSums(const at::Tensor& left, const at::Tensor& right) {
    if (!canBeRead(left) || !canBeRead(right)) {
        return std::nullopt;
    }
    const bool isOneType = left.scalar_type() == right.scalar_type();
    return sumsOfType(isOneType ? left.scalar_type() : c10::kDouble, left, right);
}

std::optional<double> sumOfSquares(const at::Tensor& tensor) {
    const auto sums = canBeRead(tensor) ? sumsOfType(tensor.scalar_type(), tensor) : std::nullopt;
    return sums ? std::optional(sums->squares) : std::nullopt;
}

} // namespace aotscope::torch
