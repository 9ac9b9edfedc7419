#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::aot {

/// A tensor's data, contiguous, for inputs given by a person and outputs compared by tests.
struct TensorData {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string bytes;
};

} // namespace aotscope::aot
