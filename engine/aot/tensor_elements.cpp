#include "aot/tensor_elements.h"

#include "base/formatted.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace aotscope::aot {

namespace {

/// How a small float type divides its bits: one of sign, then the exponent, then the fraction.
struct FloatBits {
    int exponent;
    int fraction;
    int bias;
    enum class Specials { Ieee, OnlyNan, NanIsMinusZero } specials;
};

double smallFloat(std::uint32_t bits, const FloatBits& layout) {
    const int width = 1 + layout.exponent + layout.fraction;
    const bool isNegative = (bits >> (width - 1) & 1U) != 0;
    const auto exponent = static_cast<int>(bits >> layout.fraction & ((1U << layout.exponent) - 1));
    const auto fraction = static_cast<int>(bits & ((1U << layout.fraction) - 1));
    const int highest = (1 << layout.exponent) - 1;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    switch (layout.specials) {
    case FloatBits::Specials::Ieee:
        if (exponent == highest) {
            const double infinity = std::numeric_limits<double>::infinity();
            return fraction != 0 ? nan : isNegative ? -infinity : infinity;
        }
        break;
    case FloatBits::Specials::OnlyNan:
        if (exponent == highest && fraction == (1 << layout.fraction) - 1) {
            return nan;
        }
        break;
    case FloatBits::Specials::NanIsMinusZero:
        if (isNegative && exponent == 0 && fraction == 0) {
            return nan;
        }
        break;
    }
    const double size = exponent == 0 ? std::ldexp(fraction, 1 - layout.bias - layout.fraction)
                                      : std::ldexp(fraction + (1 << layout.fraction),
                                                   exponent - layout.bias - layout.fraction);
    return isNegative ? -size : size;
}

template<typename T>
T read(const char* bytes) {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::string floatText(double value) {
    return base::formatted("%.6g", value);
}

/// The dtype of a complex dtype's parts; others are their own.
ir::DType partOf(ir::DType type) {
    switch (type) {
    case ir::DType::Complex32:
        return ir::DType::Float16;
    case ir::DType::Complex64:
        return ir::DType::Float32;
    case ir::DType::Complex128:
        return ir::DType::Float64;
    default:
        return type;
    }
}

bool hasNumbers(ir::DType type) {
    return type >= ir::DType::Float64 && type <= ir::DType::UInt64 && type != ir::DType::Float4E2M1FNX2;
}

} // namespace

TensorElements::TensorElements(const TensorData& data) : m_data(data) {
    const ir::DType type = ir::dtypeFromName(data.dtype).value_or(ir::DType::Unknown);
    if (hasNumbers(type)) {
        m_part = partOf(type);
        m_partBytes = ir::dtypeBytes(m_part);
        m_isComplex = m_part != type;
        m_isFloat = unitRoundoff(m_part) > 0 || m_part == ir::DType::Float8E8M0FNU;
    }
}

std::size_t TensorElements::count() const {
    return known() ? m_data.bytes.size() / (m_partBytes * (m_isComplex ? 2 : 1)) : 0;
}

double TensorElements::decoded(const char* bytes) const {
    using Specials = FloatBits::Specials;
    switch (m_part) {
    case ir::DType::Float64:
        return read<double>(bytes);
    case ir::DType::Float32:
        return read<float>(bytes);
    case ir::DType::Float16:
        return smallFloat(read<std::uint16_t>(bytes), {5, 10, 15, Specials::Ieee});
    case ir::DType::BFloat16:
        return smallFloat(read<std::uint16_t>(bytes), {8, 7, 127, Specials::Ieee});
    case ir::DType::Float8E4M3FN:
        return smallFloat(read<std::uint8_t>(bytes), {4, 3, 7, Specials::OnlyNan});
    case ir::DType::Float8E5M2:
        return smallFloat(read<std::uint8_t>(bytes), {5, 2, 15, Specials::Ieee});
    case ir::DType::Float8E4M3FNUZ:
        return smallFloat(read<std::uint8_t>(bytes), {4, 3, 8, Specials::NanIsMinusZero});
    case ir::DType::Float8E5M2FNUZ:
        return smallFloat(read<std::uint8_t>(bytes), {5, 2, 16, Specials::NanIsMinusZero});
    case ir::DType::Float8E8M0FNU: {
        const auto exponent = read<std::uint8_t>(bytes);
        return exponent == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, exponent - 127);
    }
    case ir::DType::Int8:
        return read<std::int8_t>(bytes);
    case ir::DType::Int16:
        return read<std::int16_t>(bytes);
    case ir::DType::Int32:
        return read<std::int32_t>(bytes);
    case ir::DType::Int64:
        return static_cast<double>(read<std::int64_t>(bytes));
    case ir::DType::UInt8:
        return read<std::uint8_t>(bytes);
    case ir::DType::Bool:
        return read<std::uint8_t>(bytes) != 0 ? 1 : 0;
    case ir::DType::UInt16:
        return read<std::uint16_t>(bytes);
    case ir::DType::UInt32:
        return read<std::uint32_t>(bytes);
    case ir::DType::UInt64:
        return static_cast<double>(read<std::uint64_t>(bytes));
    default:
        return 0;
    }
}

double TensorElements::part(std::size_t index, int which) const {
    const std::size_t parts = m_isComplex ? 2 : 1;
    return decoded(m_data.bytes.data() + (index * parts + static_cast<std::size_t>(which)) * m_partBytes);
}

double TensorElements::number(std::size_t index) const {
    return m_isComplex ? std::hypot(part(index, 0), part(index, 1)) : part(index, 0);
}

std::string TensorElements::text(std::size_t index) const {
    if (m_isComplex) {
        const double imaginary = part(index, 1);
        return floatText(part(index, 0)) + (std::signbit(imaginary) ? "" : "+") + floatText(imaginary) + "j";
    }
    const char* bytes = m_data.bytes.data() + index * m_partBytes;
    switch (m_part) {
    case ir::DType::Bool:
        return part(index, 0) != 0 ? "True" : "False";
    case ir::DType::Int64:
        return std::to_string(read<std::int64_t>(bytes));
    case ir::DType::UInt64:
        return std::to_string(read<std::uint64_t>(bytes));
    default:
        return m_isFloat ? floatText(part(index, 0))
                         : std::to_string(static_cast<std::int64_t>(part(index, 0)));
    }
}

double largerScaleFrom(std::vector<double> magnitudes) {
    constexpr double apart = 1e6;
    constexpr double alike = 1 - 1e-5;
    constexpr double one = std::numeric_limits<double>::infinity();
    std::erase_if(magnitudes, [](double magnitude) { return !(magnitude > 0) || !std::isfinite(magnitude); });
    if (magnitudes.size() < 3) {
        return one;
    }
    const auto tenth = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 10);
    std::ranges::nth_element(magnitudes, tenth);
    const double from = apart * *tenth;
    const auto large = std::partition(magnitudes.begin(), magnitudes.end(),
                                      [from](double magnitude) { return magnitude <= from; });
    if (magnitudes.end() - large < 2) {
        return one;
    }
    const auto [smallest, largest] = std::minmax_element(large, magnitudes.end());
    return *smallest >= alike * *largest ? from : one;
}

double unitRoundoff(ir::DType type) {
    switch (partOf(type)) {
    case ir::DType::Float64:
        return std::ldexp(1.0, -53);
    case ir::DType::Float32:
        return std::ldexp(1.0, -24);
    case ir::DType::Float16:
        return std::ldexp(1.0, -11);
    case ir::DType::BFloat16:
        return std::ldexp(1.0, -8);
    case ir::DType::Float8E4M3FN:
    case ir::DType::Float8E4M3FNUZ:
        return std::ldexp(1.0, -4);
    case ir::DType::Float8E5M2:
    case ir::DType::Float8E5M2FNUZ:
        return std::ldexp(1.0, -3);
    default:
        return 0;
    }
}

} // namespace aotscope::aot
