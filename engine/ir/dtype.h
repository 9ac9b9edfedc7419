#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aotscope::ir {

/// torch.dtype. `Unknown`: a type whose name this program does not know.
enum class DType : std::uint8_t {
    Unknown,
    Float64,
    Float32,
    Float16,
    BFloat16,
    Float8E4M3FN,
    Float8E5M2,
    Float8E4M3FNUZ,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
    Float4E2M1FNX2,
    Complex32,
    Complex64,
    Complex128,
    Int8,
    Int16,
    Int32,
    Int64,
    Bool,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    QInt8,
    QUInt8,
    QInt32,
    QUInt4x2,
    QUInt2x4,
    Bits1x8,
    Bits2x4,
    Bits4x2,
    Bits8,
    Bits16,
};

/// "float32", as in torch.float32.
[[nodiscard]] std::string_view dtypeName(DType dtype);
/// "f32", as print_readable abbreviates it. Follows torch 2.11, torch/utils/_dtype_abbrs.py: dtype_abbrs.
[[nodiscard]] std::string_view dtypeShortName(DType dtype);
[[nodiscard]] std::optional<DType> dtypeFromName(std::string_view name);
[[nodiscard]] std::optional<DType> dtypeFromShortName(std::string_view name);
/// Whether a tensor of this type can require a gradient: not one of integers or truth values.
[[nodiscard]] bool canRequireGrad(DType dtype);
/// Bytes of one element; 0 for Unknown.
[[nodiscard]] std::size_t dtypeBytes(DType dtype);

} // namespace aotscope::ir
