#include "passes/max_flow.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

namespace aotscope::passes {
namespace {

using FlowGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                     boost::no_property, std::uint32_t, std::uint32_t>;
using EdgeDescriptor = boost::graph_traits<FlowGraph>::edge_descriptor;

/// The network with a reverse edge for each edge, as arrays by edge index.
struct Residual {
    FlowGraph graph;
    std::vector<std::int64_t> capacity;
    std::vector<std::int64_t> left;
    std::vector<EdgeDescriptor> reverse;
};

/// Sorts the edges by source vertex, because Boost's compressed graph numbers them in that order.
Residual residualOf(const FlowNetwork& network, std::int64_t infinite) {
    const std::size_t count = network.edges.size() * 2;
    std::vector<std::uint32_t> next(network.vertices + 1, 0);
    for (const auto& edge : network.edges) {
        ++next[edge.from + 1];
        ++next[edge.to + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    Residual residual;
    residual.capacity.assign(count, 0);
    residual.left.assign(count, 0);
    residual.reverse.resize(count);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(count);
    for (const auto& edge : network.edges) {
        const std::uint32_t there = next[edge.from]++;
        const std::uint32_t back = next[edge.to]++;
        ends[there] = {edge.from, edge.to};
        ends[back] = {edge.to, edge.from};
        residual.capacity[there] = edge.capacity == infiniteCapacity ? infinite : edge.capacity;
        residual.reverse[there] = EdgeDescriptor(edge.to, back);
        residual.reverse[back] = EdgeDescriptor(edge.from, there);
    }
    residual.graph = FlowGraph(boost::edges_are_sorted, ends.begin(), ends.end(), network.vertices);
    return residual;
}

/// The edges of a path from source to sink along infinite edges only; empty: there is none.
std::vector<std::size_t> infinitePath(const FlowNetwork& network) {
    std::vector<std::uint32_t> offsets(network.vertices + 1, 0);
    for (const auto& edge : network.edges) {
        offsets[edge.from + 1] += edge.capacity == infiniteCapacity ? 1U : 0U;
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::size_t> outgoing(offsets.back());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < network.edges.size(); ++i) {
        if (network.edges[i].capacity == infiniteCapacity) {
            outgoing[next[network.edges[i].from]++] = i;
        }
    }
    constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> reachedBy(network.vertices, unreached);
    std::vector<std::uint32_t> queue{FlowNetwork::source};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const std::uint32_t vertex = queue[at];
        for (std::uint32_t k = offsets[vertex]; k < offsets[vertex + 1]; ++k) {
            const std::uint32_t to = network.edges[outgoing[k]].to;
            if (to != FlowNetwork::source && reachedBy[to] == unreached) {
                reachedBy[to] = outgoing[k];
                queue.push_back(to);
            }
        }
    }
    std::vector<std::size_t> path;
    for (std::uint32_t vertex = FlowNetwork::sink; reachedBy[vertex] != unreached;
         vertex = network.edges[path.back()].from) {
        path.push_back(reachedBy[vertex]);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<bool> canReachSink(const Residual& residual) {
    const FlowGraph& graph = residual.graph;
    std::vector<bool> reaches(boost::num_vertices(graph), false);
    reaches[FlowNetwork::sink] = true;
    std::vector<std::uint32_t> queue{FlowNetwork::sink};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const auto [begin, end] = boost::out_edges(queue[at], graph);
        for (auto edge = begin; edge != end; ++edge) {
            const std::uint32_t from = boost::target(*edge, graph);
            if (!reaches[from] && residual.left[residual.reverse[edge->idx].idx] > 0) {
                reaches[from] = true;
                queue.push_back(from);
            }
        }
    }
    return reaches;
}

} // namespace

CutOutcome minimumCut(const FlowNetwork& network) {
    CutOutcome outcome;
    outcome.path = infinitePath(network);
    if (!outcome.path.empty()) {
        outcome.failure = CutFailure::Unbounded;
        return outcome;
    }
    std::int64_t total = 0;
    constexpr std::int64_t limit = std::int64_t{1} << 61;
    for (const auto& edge : network.edges) {
        if (edge.capacity != infiniteCapacity &&
            (__builtin_add_overflow(total, edge.capacity, &total) || total > limit)) {
            outcome.failure = CutFailure::TooLarge;
            return outcome;
        }
    }
    // An infinite edge gets more capacity than all finite edges together, so that no flow saturates it.
    Residual residual = residualOf(network, total + 1);
    const std::size_t count = network.vertices;
    std::vector<EdgeDescriptor> predecessors(count);
    std::vector<boost::default_color_type> colors(count);
    std::vector<std::int64_t> distances(count);
    const FlowGraph& graph = residual.graph;
    const auto vertex = boost::get(boost::vertex_index, graph);
    const auto edge = boost::get(boost::edge_index, graph);
    outcome.cut.value = boost::boykov_kolmogorov_max_flow(
        residual.graph, boost::make_iterator_property_map(residual.capacity.begin(), edge),
        boost::make_iterator_property_map(residual.left.begin(), edge),
        boost::make_iterator_property_map(residual.reverse.begin(), edge),
        boost::make_iterator_property_map(predecessors.begin(), vertex),
        boost::make_iterator_property_map(colors.begin(), vertex),
        boost::make_iterator_property_map(distances.begin(), vertex), vertex, FlowNetwork::source,
        FlowNetwork::sink);
    outcome.cut.sinkSide = canReachSink(residual);
    return outcome;
}

} // namespace aotscope::passes
