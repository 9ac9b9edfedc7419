#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
