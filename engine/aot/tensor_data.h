#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::aot {

/// A tensor's data, contiguous: inputs that a person supplies, outputs that tests compare.
struct TensorData {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string bytes;
    friend bool operator==(const TensorData&, const TensorData&) = default;
};

} // namespace aotscope::aot
