#include "ir/dtype.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::ir {
namespace {

struct DTypeFacts {
    DType dtype;
    std::string_view name;
    /// Repeats the name if print_readable has no abbreviation.
    std::string_view shortName;
    std::size_t bytes;
};

/// Indexed by DType.
constexpr std::array facts{
    DTypeFacts{DType::Unknown, "unknown", "unknown", 0},
    DTypeFacts{DType::Float64, "float64", "f64", 8},
    DTypeFacts{DType::Float32, "float32", "f32", 4},
    DTypeFacts{DType::Float16, "float16", "f16", 2},
    DTypeFacts{DType::BFloat16, "bfloat16", "bf16", 2},
    DTypeFacts{DType::Float8E4M3FN, "float8_e4m3fn", "f8e4m3fn", 1},
    DTypeFacts{DType::Float8E5M2, "float8_e5m2", "f8e5m2", 1},
    DTypeFacts{DType::Float8E4M3FNUZ, "float8_e4m3fnuz", "f8e4m3fnuz", 1},
    DTypeFacts{DType::Float8E5M2FNUZ, "float8_e5m2fnuz", "f8e5m2fnuz", 1},
    DTypeFacts{DType::Float8E8M0FNU, "float8_e8m0fnu", "f8e8m0fnu", 1},
    DTypeFacts{DType::Float4E2M1FNX2, "float4_e2m1fn_x2", "f4e2m1fnx2", 1},
    DTypeFacts{DType::Complex32, "complex32", "c32", 4},
    DTypeFacts{DType::Complex64, "complex64", "c64", 8},
    DTypeFacts{DType::Complex128, "complex128", "c128", 16},
    DTypeFacts{DType::Int8, "int8", "i8", 1},
    DTypeFacts{DType::Int16, "int16", "i16", 2},
    DTypeFacts{DType::Int32, "int32", "i32", 4},
    DTypeFacts{DType::Int64, "int64", "i64", 8},
    DTypeFacts{DType::Bool, "bool", "b8", 1},
    DTypeFacts{DType::UInt8, "uint8", "u8", 1},
    DTypeFacts{DType::UInt16, "uint16", "u16", 2},
    DTypeFacts{DType::UInt32, "uint32", "u32", 4},
    DTypeFacts{DType::UInt64, "uint64", "u64", 8},
    DTypeFacts{DType::QInt8, "qint8", "qint8", 1},
    DTypeFacts{DType::QUInt8, "quint8", "quint8", 1},
    DTypeFacts{DType::QInt32, "qint32", "qint32", 4},
    DTypeFacts{DType::QUInt4x2, "quint4x2", "quint4x2", 1},
    DTypeFacts{DType::QUInt2x4, "quint2x4", "quint2x4", 1},
    DTypeFacts{DType::Bits1x8, "bits1x8", "b1x8", 1},
    DTypeFacts{DType::Bits2x4, "bits2x4", "bits2x4", 1},
    DTypeFacts{DType::Bits4x2, "bits4x2", "bits4x2", 1},
    DTypeFacts{DType::Bits8, "bits8", "bits8", 1},
    DTypeFacts{DType::Bits16, "bits16", "b16", 2},
};

constexpr bool factsFollowTheEnum() {
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (static_cast<std::size_t>(facts[i].dtype) != i) {
            return false;
        }
    }
    return facts.size() == static_cast<std::size_t>(DType::Bits16) + 1;
}
static_assert(factsFollowTheEnum());

/// Further names of dtypes: torch.float is torch.float32.
constexpr std::array<std::pair<std::string_view, DType>, 9> aliases{{
    {"double", DType::Float64},
    {"float", DType::Float32},
    {"half", DType::Float16},
    {"chalf", DType::Complex32},
    {"cfloat", DType::Complex64},
    {"cdouble", DType::Complex128},
    {"short", DType::Int16},
    {"int", DType::Int32},
    {"long", DType::Int64},
}};

const DTypeFacts& factsOf(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    return facts[index < facts.size() ? index : 0];
}

std::optional<DType> dtypeSpelled(std::string_view name, std::string_view DTypeFacts::*spelling) {
    const auto* known = std::ranges::find(facts, name, spelling);
    return known == facts.end() || known == facts.begin() ? std::nullopt : std::optional(known->dtype);
}

} // namespace

std::string_view dtypeName(DType dtype) {
    return factsOf(dtype).name;
}

std::string_view dtypeShortName(DType dtype) {
    return factsOf(dtype).shortName;
}

std::optional<DType> dtypeFromName(std::string_view name) {
    const auto* alias = std::ranges::find(aliases, name, &std::pair<std::string_view, DType>::first);
    return alias == aliases.end() ? dtypeSpelled(name, &DTypeFacts::name) : alias->second;
}

std::optional<DType> dtypeFromShortName(std::string_view name) {
    return dtypeSpelled(name, &DTypeFacts::shortName);
}

bool canRequireGrad(DType dtype) {
    return dtype < DType::Int8 || dtype > DType::UInt64;
}

std::size_t dtypeBytes(DType dtype) {
    return factsOf(dtype).bytes;
}

} // namespace aotscope::ir
