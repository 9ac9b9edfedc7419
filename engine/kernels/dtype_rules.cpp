#include "kernels/dtype_rules.h"

#include "base/formatted.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace aotscope::kernels {

namespace {

using ir::DType;

int category(DType dtype) {
    return dtype == DType::Bool ? 0 : isInteger(dtype) ? 1 : 2;
}

DType promotePair(DType left, DType right) {
    if (left == DType::Unknown || left == right) {
        return right;
    }
    if (right == DType::Unknown) {
        return left;
    }
    if (category(left) != category(right)) {
        return category(left) > category(right) ? left : right;
    }
    if (category(left) == 2) {
        if (ir::dtypeBytes(left) == ir::dtypeBytes(right)) {
            return DType::Float32;
        }
        return ir::dtypeBytes(left) > ir::dtypeBytes(right) ? left : right;
    }
    // Of integers, uint8 is the only unsigned one that promotes.
    const DType unsignedOne = left == DType::UInt8 ? left : right;
    const DType signedOne = left == DType::UInt8 ? right : left;
    if (unsignedOne == DType::UInt8 && signedOne == DType::Int8) {
        return DType::Int16;
    }
    return ir::dtypeBytes(left) > ir::dtypeBytes(right) ? left : right;
}

} // namespace

bool isSupported(DType dtype) {
    return isFloating(dtype) || isInteger(dtype) || dtype == DType::Bool;
}

bool isSmallFloat(DType dtype) {
    return dtype >= DType::Float16 && dtype <= DType::Float8E5M2FNUZ;
}

bool isFloating(DType dtype) {
    return dtype == DType::Float64 || dtype == DType::Float32 || isSmallFloat(dtype);
}

bool isInteger(DType dtype) {
    return dtype >= DType::Int8 && dtype <= DType::UInt64 && dtype != DType::Bool;
}

std::string_view storageType(DType dtype) {
    return dtype == DType::Float64   ? "double"
           : dtype == DType::Float32 ? "float"
           : dtype == DType::Int32   ? "int"
                                     : ir::dtypeName(dtype);
}

std::string_view registerType(DType dtype) {
    return storageType(opmathType(dtype));
}

DType opmathType(DType dtype) {
    return isSmallFloat(dtype) ? DType::Float32 : dtype;
}

DType promote(const std::vector<PromotedOperand>& operands) {
    // Tensors with dimensions decide, unless one without, or a number, is of a higher category.
    std::array<DType, 3> results = {DType::Unknown, DType::Unknown, DType::Unknown};
    for (const PromotedOperand& operand : operands) {
        DType dtype = operand.dtype;
        if (operand.kind == PromotedOperand::Kind::PythonNumber && dtype == DType::Float64) {
            dtype = DType::Float32;
        }
        DType& result = results[static_cast<std::size_t>(operand.kind)];
        result = promotePair(result, dtype);
    }
    DType decided = results[0];
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (results[i] != DType::Unknown &&
            (decided == DType::Unknown || category(results[i]) > category(decided))) {
            decided = results[i];
        }
    }
    return decided;
}

std::string typedText(std::string_view text, DType dtype) {
    std::string typed(text);
    for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"{T}", registerType(dtype)},
                                   {"{f}", dtype == DType::Float64 ? "" : "f"}}) {
        for (std::size_t at = typed.find(from); at != std::string::npos;
             at = typed.find(from, at + to.size())) {
            typed.replace(at, from.size(), to);
        }
    }
    return typed;
}

std::string literal(double value, DType dtype) {
    const bool isDouble = dtype == DType::Float64;
    if (!isFloating(dtype)) {
        if (dtype == DType::Bool) {
            return value != 0 ? "true" : "false";
        }
        const bool fits = value >= -9.2e18 && value <= 9.2e18;
        return literal(fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min(),
                       dtype);
    }
    const float narrow = static_cast<float>(value);
    const double kept = isDouble ? value : static_cast<double>(narrow);
    if (std::isnan(kept)) {
        return "(" + std::string(registerType(dtype)) + ")bits_float(0x7fc00000u)";
    }
    if (std::isinf(kept)) {
        return "(" + std::string(registerType(dtype)) + ")bits_float(" +
               (kept < 0 ? "0xff800000u" : "0x7f800000u") + ")";
    }
    std::string result = base::formatted("%.*g", isDouble ? 17 : 9, kept);
    if (result.find_first_of(".e") == std::string::npos) {
        result += ".0";
    }
    return result + (isDouble ? "" : "f");
}

std::string literal(std::int64_t value, DType dtype) {
    if (isFloating(dtype)) {
        return literal(static_cast<double>(value), dtype);
    }
    if (dtype == DType::Bool) {
        return value != 0 ? "true" : "false";
    }
    if (value == std::numeric_limits<std::int64_t>::min()) {
        return "(-9223372036854775807ll - 1ll)";
    }
    if (dtype == DType::Int64) {
        return std::to_string(value) + "ll";
    }
    if (dtype == DType::Int32 && value == std::int32_t(value)) {
        return std::to_string(value);
    }
    return "(" + std::string(registerType(dtype)) + ")" + std::to_string(value) + "ll";
}

} // namespace aotscope::kernels
