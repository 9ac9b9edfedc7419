#pragma once

#include "aot/tensor_data.h"
#include "ir/dtype.h"

#include <cstddef>
#include <string>
#include <vector>

namespace aotscope::aot {

/// Reads single elements of a tensor's data. Holds a reference to the data.
class TensorElements {
public:
    explicit TensorElements(const TensorData& data);

    /// Whether elements of this dtype have values (not packed 4-bit or quantized ones).
    [[nodiscard]] bool known() const { return m_partBytes != 0; }
    /// Elements that the bytes hold; 0 if the dtype is not known.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] bool isComplex() const { return m_isComplex; }
    [[nodiscard]] bool isFloat() const { return m_isFloat; }

    /// The element at `index` < count() in C order; the magnitude of a complex one.
    [[nodiscard]] double number(std::size_t index) const;
    /// The real (0) or imaginary (1) part.
    [[nodiscard]] double part(std::size_t index, int which) const;
    /// As a person reads it: six significant digits of a float, all of an integer, "True", "1-2j".
    [[nodiscard]] std::string text(std::size_t index) const;

private:
    [[nodiscard]] double decoded(const char* bytes) const;

    const TensorData& m_data;
    ir::DType m_part = ir::DType::Unknown;
    std::size_t m_partBytes = 0;
    bool m_isComplex = false;
    bool m_isFloat = false;
};

/// Where a tensor's elements have two scales, as scores and the -1e9 of a mask among them have: the magnitude
/// above which they belong to the larger one. Those have one magnitude, and are more than one: what varies is
/// no mask, and beside it small elements are what sums of large ones leave. Differences are measured within
/// each scale, because a large element allows small ones nothing. Infinity: there is one scale. `magnitudes`
/// may hold infinities and NaNs, which count as nothing.
[[nodiscard]] double largerScaleFrom(std::vector<double> magnitudes);

/// Half the distance from 1 to the next larger number of the dtype; 0 for dtypes that are not floats.
[[nodiscard]] double unitRoundoff(ir::DType type);

} // namespace aotscope::aot
