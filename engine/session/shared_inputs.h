#pragma once

#include "aot/retrace.h"

#include "ir/graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::session {

/// One of several inputs that lie in one memory.
struct SharedInput {
    /// Among the placeholders of the program that was traced.
    std::size_t index = 0;
    std::string name;
    /// The elements of the memory it reaches over, first and one past the last; nothing where a size is
    /// symbolic.
    std::optional<std::pair<std::int64_t, std::int64_t>> elements = {};
    /// Of the first input that lies in the same elements in the same way: the same tensor handed in again, or
    /// a view like it. Nothing: there is none before.
    std::optional<std::size_t> sameAs = {};
};

struct SharedMemory {
    /// Two or more, in the program's order.
    std::vector<SharedInput> inputs;
    /// The input of the traced graph that stands for them, as their synthetic base; empty: none was needed.
    std::string base = {};
};

/// The inputs of a program that alias one another, as the log tells, in the order of the first of each.
/// `made`: the graph that was traced of it.
[[nodiscard]] std::vector<SharedMemory>
sharedInputs(const ir::Graph& program, const std::vector<aot::RetraceInput>& inputs, const ir::Graph& made);

} // namespace aotscope::session
