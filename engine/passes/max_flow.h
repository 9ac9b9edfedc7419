#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::passes {

/// A directed graph with integer capacities; vertex 0 is the source, vertex 1 the sink.
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
    /// By vertex: whether it still reaches the sink in the residual graph of the maximum flow. Of all minimum
    /// cuts this is the one nearest the sink, the same as networkx.minimum_cut (used by solve_min_cut).
    std::vector<bool> sinkSide;
    std::int64_t value = 0;
};

enum class CutFailure : std::uint8_t { None, Unbounded, TooLarge };

/// Unbounded: infinite edges form a path from source to sink; `path` then holds its edges in order.
/// TooLarge: the sum of the finite capacities exceeds 61 bits.
struct CutOutcome {
    CutFailure failure = CutFailure::None;
    MinimumCut cut;
    std::vector<std::size_t> path;
};
/// Uses the algorithm of Boykov and Kolmogorov from Boost.Graph.
[[nodiscard]] CutOutcome minimumCut(const FlowNetwork& network);

} // namespace aotscope::passes
