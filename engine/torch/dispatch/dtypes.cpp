#include "dispatch/dtypes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::ScalarType;
using ir::DType;

constexpr std::array dtypesTable = {
    std::pair{DType::Float64, ScalarType::Double},
    std::pair{DType::Float32, ScalarType::Float},
    std::pair{DType::Float16, ScalarType::Half},
    std::pair{DType::BFloat16, ScalarType::BFloat16},
    std::pair{DType::Float8E4M3FN, ScalarType::Float8_e4m3fn},
    std::pair{DType::Float8E5M2, ScalarType::Float8_e5m2},
    std::pair{DType::Float8E4M3FNUZ, ScalarType::Float8_e4m3fnuz},
    std::pair{DType::Float8E5M2FNUZ, ScalarType::Float8_e5m2fnuz},
    std::pair{DType::Float8E8M0FNU, ScalarType::Float8_e8m0fnu},
    std::pair{DType::Float4E2M1FNX2, ScalarType::Float4_e2m1fn_x2},
    std::pair{DType::Complex32, ScalarType::ComplexHalf},
    std::pair{DType::Complex64, ScalarType::ComplexFloat},
    std::pair{DType::Complex128, ScalarType::ComplexDouble},
    std::pair{DType::Int8, ScalarType::Char},
    std::pair{DType::Int16, ScalarType::Short},
    std::pair{DType::Int32, ScalarType::Int},
    std::pair{DType::Int64, ScalarType::Long},
    std::pair{DType::Bool, ScalarType::Bool},
    std::pair{DType::UInt8, ScalarType::Byte},
    std::pair{DType::UInt16, ScalarType::UInt16},
    std::pair{DType::UInt32, ScalarType::UInt32},
    std::pair{DType::UInt64, ScalarType::UInt64},
    std::pair{DType::QInt8, ScalarType::QInt8},
    std::pair{DType::QUInt8, ScalarType::QUInt8},
    std::pair{DType::QInt32, ScalarType::QInt32},
    std::pair{DType::QUInt4x2, ScalarType::QUInt4x2},
    std::pair{DType::QUInt2x4, ScalarType::QUInt2x4},
    std::pair{DType::Bits1x8, ScalarType::Bits1x8},
    std::pair{DType::Bits2x4, ScalarType::Bits2x4},
    std::pair{DType::Bits4x2, ScalarType::Bits4x2},
    std::pair{DType::Bits8, ScalarType::Bits8},
    std::pair{DType::Bits16, ScalarType::Bits16},
};

} // namespace

std::optional<ScalarType> scalarType(DType dtype) {
    const auto* found = std::ranges::find(dtypesTable, dtype, [](const auto& each) { return each.first; });
    return found == dtypesTable.end() ? std::nullopt : std::optional(found->second);
}

DType dtypeOf(ScalarType type) {
    const auto* found = std::ranges::find(dtypesTable, type, [](const auto& each) { return each.second; });
    return found == dtypesTable.end() ? DType::Unknown : found->first;
}

std::string dtypeText(ScalarType type) {
    const DType dtype = dtypeOf(type);
    return dtype == DType::Unknown ? std::string(c10::toString(type)) : std::string(ir::dtypeName(dtype));
}

} // namespace aotscope::torch
