#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Tensors as files hold them: safetensors, .npy and .npz.
namespace aotscope::load {

struct StoredTensor {
    /// As PyTorch names it: "float32".
    std::string dtype;
    std::vector<std::int64_t> shape;
    /// Contiguous in C order, little-endian.
    std::string bytes;
    friend bool operator==(const StoredTensor&, const StoredTensor&) = default;
};

using StoredTensors = std::map<std::string, StoredTensor>;

/// How the formats name a dtype and store its elements.
struct StoredDtype {
    /// As PyTorch names it.
    std::string_view name;
    /// Bytes of one element.
    std::uint64_t bytes = 0;
    std::string_view safetensors;
    /// The letter and size in a `descr` of NumPy, without the byte order; empty: NumPy has no such dtype.
    std::string_view numpy = {};
    /// Parts that NumPy stores in a byte order each; 0: single bytes, which have none.
    std::uint64_t part = 0;
};

inline constexpr auto storedDtypes = std::to_array<StoredDtype>({
    {"float64", 8, "F64", "f8", 8},
    {"float32", 4, "F32", "f4", 4},
    {"float16", 2, "F16", "f2", 2},
    {"bfloat16", 2, "BF16"},
    {"int64", 8, "I64", "i8", 8},
    {"int32", 4, "I32", "i4", 4},
    {"int16", 2, "I16", "i2", 2},
    {"int8", 1, "I8", "i1"},
    {"uint64", 8, "U64", "u8", 8},
    {"uint32", 4, "U32", "u4", 4},
    {"uint16", 2, "U16", "u2", 2},
    {"uint8", 1, "U8", "u1"},
    {"bool", 1, "BOOL", "b1"},
    {"float8_e4m3fn", 1, "F8_E4M3"},
    {"float8_e5m2", 1, "F8_E5M2"},
    {"float8_e8m0fnu", 1, "F8_E8M0"},
    {"complex64", 8, "C64", "c8", 4},
    {"complex128", 16, "C128", "c16", 8},
});

/// The dtype with that name in one of the columns; null: there is none.
[[nodiscard]] inline const StoredDtype* tryStoredDtype(std::string_view StoredDtype::*column,
                                                       std::string_view name) {
    const auto* found = std::ranges::find(storedDtypes, name, column);
    return found == storedDtypes.end() || name.empty() ? nullptr : found;
}

/// Bytes of a tensor with elements of `elementBytes`; nothing: a size is negative or the product overflows.
[[nodiscard]] inline std::optional<std::uint64_t> tensorBytes(const std::vector<std::int64_t>& shape,
                                                              std::uint64_t elementBytes) {
    std::uint64_t bytes = elementBytes;
    for (const std::int64_t size : shape) {
        if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
            return std::nullopt;
        }
    }
    return bytes;
}

} // namespace aotscope::load
