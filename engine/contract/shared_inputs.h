#pragma once

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::session {

/// One of several inputs that share memory.
struct SharedInput {
    /// Index among the program's placeholders.
    std::size_t index = 0;
    std::string name;
    /// The range of elements of the storage that it spans, end exclusive; nothing if a size is symbolic.
    std::optional<std::pair<std::int64_t, std::int64_t>> elements = {};
    /// Index of the first earlier input with the same elements, sizes and strides: the same tensor passed
    /// twice, or an equal view. Nothing if there is none.
    std::optional<std::size_t> sameAs = {};
};
AOTSCOPE_MEMBERS(SharedInput, index, name, elements, sameAs)

struct SharedMemory {
    /// At least two, in the program's order.
    std::vector<SharedInput> inputs;
    /// The traced graph's input that replaces them as synthetic base; empty if they needed none.
    std::string base = {};
};
AOTSCOPE_MEMBERS(SharedMemory, inputs, base)

} // namespace aotscope::session
