#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::passes {

/// A directed graph with integer capacities between vertex 0 (source) and vertex 1 (sink).
struct FlowNetwork {
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        /// infiniteCapacity: cannot be cut.
        std::int64_t capacity = 0;
    };
    std::uint32_t vertices = 2;
    std::vector<Edge> edges;

    static constexpr std::uint32_t source = 0;
    static constexpr std::uint32_t sink = 1;
};

inline constexpr std::int64_t infiniteCapacity = -1;

struct MinimumCut {
    /// By vertex: whether it can still send to the sink when the flow is maximal. Among all cheapest cuts
    /// this is the one nearest the sink, which is the one networkx.minimum_cut gives.
    std::vector<bool> sinkSide;
    std::int64_t value = 0;
};

enum class CutFailure : std::uint8_t { None, Unbounded, TooLarge };

/// Boykov and Kolmogorov's algorithm, from Boost.Graph.
/// Unbounded: a path of infinite edges leads from source to sink; `path` then has its edges in order.
/// TooLarge: the finite capacities do not add up in 61 bits.
struct CutOutcome {
    CutFailure failure = CutFailure::None;
    MinimumCut cut;
    std::vector<std::size_t> path;
};
[[nodiscard]] CutOutcome minimumCut(const FlowNetwork& network);

} // namespace aotscope::passes
