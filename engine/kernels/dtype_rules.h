#pragma once

#include "ir/dtype.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Dtypes as kernels see them, and PyTorch's type promotion.
namespace aotscope::kernels {

/// Whether kernels can read and write it.
[[nodiscard]] bool isSupported(ir::DType dtype);
[[nodiscard]] bool isFloating(ir::DType dtype);
/// Floats that registers hold as `float`, and operators compute as such.
[[nodiscard]] bool isSmallFloat(ir::DType dtype);
[[nodiscard]] bool isInteger(ir::DType dtype);
/// What a tensor holds: "float", "bfloat16", "int64". Only for supported dtypes.
[[nodiscard]] std::string_view storageType(ir::DType dtype);
/// What a register holds: "float" for small floats.
[[nodiscard]] std::string_view registerType(ir::DType dtype);
/// What operators compute in and reductions add up in: Float32 for small floats.
[[nodiscard]] ir::DType opmathType(ir::DType dtype);

/// An operand as type promotion sees it. Follows torch 2.11, aten/src/ATen/native/TypeProperties.cpp.
struct PromotedOperand {
    enum class Kind : std::uint8_t { Tensor, ZeroDim, PythonNumber };
    Kind kind = Kind::Tensor;
    /// For a Python number: Bool, Int64 or Float64 (which counts as the default dtype).
    ir::DType dtype = ir::DType::Unknown;
};
[[nodiscard]] ir::DType promote(const std::vector<PromotedOperand>& operands);

/// A text with the type's register type and the suffix of its functions in place of {T} and {f}.
[[nodiscard]] std::string typedText(std::string_view text, ir::DType dtype);

/// A number as C++ of a register's type: "0.5f", "7ll", infinities and NaN by their bits.
[[nodiscard]] std::string literal(double value, ir::DType dtype);
[[nodiscard]] std::string literal(std::int64_t value, ir::DType dtype);

} // namespace aotscope::kernels
