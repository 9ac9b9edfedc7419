#pragma once

#include "base/describe.h"
#include "timeline/node_match.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What each node of a graph did, from a matched timeline.
namespace aotscope::timeline {

/// The facts of a kernel's launch, as Kineto writes them; nothing: the trace does not say.
struct KernelFacts {
    /// The function's name without namespaces, template arguments and parameters.
    std::string shortName;
    std::optional<std::array<std::int64_t, 3>> grid;
    std::optional<std::array<std::int64_t, 3>> block;
    std::optional<std::int64_t> registers;
    /// Bytes.
    std::optional<std::int64_t> sharedMemory;
    std::optional<std::int64_t> device;
    std::optional<std::int64_t> stream;
    /// Percent, Kineto's estimate.
    std::optional<double> occupancy;
};
AOTSCOPE_MEMBERS(KernelFacts, shortName, grid, block, registers, sharedMemory, device, stream, occupancy)
struct KernelLaunch : KernelFacts {
    EventId event;
    std::int64_t start = 0;
    std::int64_t duration = 0;
};

/// One execution of a node.
struct NodeWork {
    /// Index in NodeMatches::nodes.
    std::uint32_t match = 0;
    std::int64_t start = 0;
    std::int64_t duration = 0;
    /// The outermost operator calls of the node, by start; for a node that is the call of an operator this
    /// call alone.
    std::vector<EventId> operators;
    /// With those that operators called.
    std::size_t operatorCount = 0;
    std::vector<KernelLaunch> kernels;
    std::int64_t kernelNanoseconds = 0;
    /// How often the CPU's allocated memory changed, and by how much in all; nothing: it was not recorded.
    std::optional<std::size_t> memoryEvents;
    double memoryChange = 0;
};

/// By start. Empty: nothing was matched.
[[nodiscard]] std::vector<NodeWork> workOfNodes(const MatchedTimeline& matched);

[[nodiscard]] KernelLaunch kernelLaunch(const Timeline& timeline, EventId kernel);

/// "vectorized_elementwise_kernel" of "void at::native::vectorized_elementwise_kernel<4, …>(int, …)", also of
/// its mangled name.
[[nodiscard]] std::string shortKernelName(std::string_view name);

} // namespace aotscope::timeline
