#pragma once

#include "inductor/graph_facts.h"
#include "inductor/output_code.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::inductor {

/// What a buffer holds between two writes. The same name holds several values one after the other, and one
/// value has several names.
struct HeldValue {
    /// As the wrapper allocates it; empty: unknown.
    std::string shape = {};
    std::string dtype = {};
    /// The input it is; empty: none.
    std::string input = {};
    /// The launches that write it and those that read it.
    std::vector<std::uint32_t> writers = {};
    std::vector<std::uint32_t> readers = {};
    /// It is this element of that value: `buf6 = buf5[0]`.
    std::optional<std::uint32_t> elementOf = {};
    int element = -1;
    /// The place in the returned values of the function that the caller runs; -1: not returned.
    int returned = -1;
    /// It holds an input of the caller after the call: the function writes to its input.
    bool writesInput = false;
};

/// Which values each launch reads and writes; both as indices of `values`.
struct LaunchFlow {
    /// In the order of the arguments, with repeats.
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    /// By written value: whether the launch writes only a part of it, as for one of the inputs of a
    /// concatenation.
    std::vector<bool> writesPart;
    /// The launch is in the code of a subgraph, where names mean something else.
    bool inSubgraph = false;
};

struct CodeFlow {
    std::vector<HeldValue> values;
    /// By launch.
    std::vector<LaunchFlow> launches;
    /// By returned place: the value; nothing: none or a constant.
    std::vector<std::optional<std::uint32_t>> returned;
};

/// Follows the buffers from launch to launch.
[[nodiscard]] CodeFlow followBuffers(const OutputCode& code);

} // namespace aotscope::inductor
