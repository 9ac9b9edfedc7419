#include "passes/recompute_cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

namespace aotscope::passes {

namespace {

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

constexpr std::int64_t infiniteCapacity = -1;

enum class CutFailure : std::uint8_t { None, Unbounded, TooLarge };

/// Unbounded: infinite edges form a path from source to sink; `path` then holds its edges in order.
/// TooLarge: the sum of the finite capacities exceeds 61 bits.
struct CutOutcome {
    CutFailure failure = CutFailure::None;
    std::vector<std::size_t> path;
    /// By vertex: whether it still reaches the sink in the residual graph of the maximum flow. Of all minimum
    /// cuts this is the one nearest the sink, the same as networkx.minimum_cut (used by solve_min_cut).
    std::vector<bool> sinkSide;
    std::int64_t value = 0;
};

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
    std::ranges::reverse(path);
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

/// Uses the algorithm of Boykov and Kolmogorov from Boost.Graph.
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
    outcome.value = boost::boykov_kolmogorov_max_flow(
        residual.graph, boost::make_iterator_property_map(residual.capacity.begin(), edge),
        boost::make_iterator_property_map(residual.left.begin(), edge),
        boost::make_iterator_property_map(residual.reverse.begin(), edge),
        boost::make_iterator_property_map(predecessors.begin(), vertex),
        boost::make_iterator_property_map(colors.begin(), vertex),
        boost::make_iterator_property_map(distances.begin(), vertex), vertex, FlowNetwork::source,
        FlowNetwork::sink);
    outcome.sinkSide = canReachSink(residual);
    return outcome;
}

constexpr std::size_t farthest = 100;

/// 1.1 to the power of 0 … 100.
std::array<double, farthest + 1> biases() {
    std::array<double, farthest + 1> powers{};
    for (std::size_t i = 0; i < powers.size(); ++i) {
        powers.at(i) = std::pow(1.1, static_cast<double>(i));
    }
    return powers;
}

enum class EdgeKind : std::uint8_t {
    CannotRecompute,
    NodeWeight,
    Data,
    InputOfBackward,
    ComputedInBackward,
    MustRecompute
};

/// Builds the flow network: each node becomes two vertices, and cutting the edge between them saves the node.
class CutMaker {
public:
    CutMaker(const CutInput& input, CutSolution& solution)
        : m_input(input), m_program(input.program), m_solution(solution), m_vertex(m_program.size(), 0) {}

    base::Result<void> solve() {
        numberVertices();
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_vertex[i] != 0) {
                addNode(i);
            }
        }
        const CutOutcome outcome = minimumCut(m_network);
        if (outcome.failure == CutFailure::Unbounded) {
            return unbounded(outcome.path);
        }
        if (outcome.failure == CutFailure::TooLarge) {
            return base::Error{.code = "passes.weights_too_large",
                               .message = "The sizes of this graph's values add up to more than 61 bits can "
                                          "hold, so no cut can be computed."};
        }
        m_solution.value = outcome.value;
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_vertex[i] != 0 && !outcome.sinkSide[m_vertex[i]] && outcome.sinkSide[m_vertex[i] + 1]) {
                m_solution.saved.push_back(i);
            }
        }
        return {};
    }

private:
    /// Whether the node runs in the backward whatever is cut; the sink represents all such nodes.
    [[nodiscard]] bool isSink(Index i) const {
        return m_input.classes.tangentsClosure[i] || m_program[i].mustRecompute();
    }

    void numberVertices() {
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_program[i].opcode != ir::Opcode::Output && !isSink(i)) {
                m_vertex[i] = m_network.vertices;
                m_network.vertices += 2;
            }
        }
        m_network.edges.reserve(static_cast<std::size_t>(m_network.vertices) * 2);
    }

    void addEdge(std::uint32_t from, std::uint32_t to, std::int64_t capacity, EdgeKind kind, Index of,
                 Index other = noIndex) {
        m_network.edges.push_back({from, to, capacity});
        m_edges.push_back({kind, of, other});
    }

    void addNode(Index i) {
        const std::uint32_t in = m_vertex[i];
        if (m_solution.bans.banned[i]) {
            addEdge(FlowNetwork::source, in, infiniteCapacity, EdgeKind::CannotRecompute, i);
        }
        if (m_input.classes.requiredBackward[i]) {
            addEdge(in + 1, FlowNetwork::sink, infiniteCapacity, EdgeKind::InputOfBackward, i);
        }
        const std::int64_t weight = weightOf(i);
        m_solution.weights[i] = weight;
        addEdge(in, in + 1, weight == cannotBeSaved ? infiniteCapacity : weight, EdgeKind::NodeWeight, i);
        for (const Index user : m_program.users(i)) {
            if (m_vertex[user] != 0) {
                addEdge(in + 1, m_vertex[user], infiniteCapacity, EdgeKind::Data, i, user);
            } else if (m_program[user].opcode != ir::Opcode::Output && isSink(user)) {
                const EdgeKind kind = m_input.classes.tangentsClosure[user] ? EdgeKind::ComputedInBackward
                                                                            : EdgeKind::MustRecompute;
                addEdge(in + 1, FlowNetwork::sink, infiniteCapacity, kind, i, user);
            }
        }
    }

    [[nodiscard]] std::int64_t obstructed(Index i, SaveObstacle obstacle) {
        m_solution.obstacles[i] = obstacle;
        return cannotBeSaved;
    }

    std::int64_t weightOf(Index i) {
        const Item& item = m_program[i];
        if (m_input.forced[i] == Forced::Recompute) {
            return obstructed(i, SaveObstacle::ForcedRecompute);
        }
        if (item.isSymbolic()) {
            return item.value == ValueKind::SymFloat ? 4 : 1;
        }
        if (item.value != ValueKind::Tensor) {
            return obstructed(i, SaveObstacle::NotATensor);
        }
        if (m_input.classes.overwrittenInput[i]) {
            return obstructed(i, SaveObstacle::Overwritten);
        }
        const bool isFree = m_input.options.treatParametersAsFreeToSave && m_input.classes.staticInput[i];
        if (isFree || m_input.forced[i] == Forced::Save) {
            return 0;
        }
        if (m_input.options.recomputeViews && item.is(OpView)) {
            return obstructed(i, SaveObstacle::View);
        }
        static const std::array<double, farthest + 1> powers = biases();
        const auto steps = static_cast<std::size_t>(
            std::clamp<std::int64_t>(m_input.distance[i], 1, static_cast<std::int64_t>(farthest)));
        // Limited so that it fits an integer; minimumCut then reports it as too large.
        const double biased = std::min(static_cast<double>(item.bytes) * powers.at(steps), 0x1p62);
        const auto weight = static_cast<std::int64_t>(biased);
        return isMaterialized(m_program, i) ? weight : std::min(weight, std::int64_t{1} << 61) * 2;
    }

    base::Error unbounded(const std::vector<std::size_t>& path) const {
        base::Error error;
        error.code = "passes.no_cut";
        error.message = "A value that the backward needs can neither be saved nor recomputed.";
        for (const std::size_t at : path) {
            const EdgeNote& edge = m_edges[at];
            const std::string& name = m_program.name(edge.of);
            switch (edge.kind) {
            case EdgeKind::CannotRecompute:
                error.place.node = name;
                error.notes.push_back("\"" + name + "\" may not be recomputed: " +
                                      banText(m_program.graph(), m_solution.bans.reasons[edge.of].front()));
                break;
            case EdgeKind::NodeWeight:
                error.notes.push_back("\"" + name + "\" cannot be saved");
                break;
            case EdgeKind::Data:
                error.notes.push_back("\"" + m_program.name(edge.other) + "\" needs \"" + name + "\"");
                break;
            case EdgeKind::InputOfBackward:
                error.notes.push_back("the backward returns \"" + name + "\"");
                break;
            case EdgeKind::ComputedInBackward:
                error.notes.push_back("\"" + m_program.name(edge.other) +
                                      "\" runs in the backward and needs \"" + name + "\"");
                break;
            case EdgeKind::MustRecompute:
                error.notes.push_back("\"" + m_program.name(edge.other) +
                                      "\" is marked to be recomputed and needs \"" + name + "\"");
                break;
            }
        }
        error.hint = "Undo a choice or a checkpoint tag of one of these nodes.";
        return error;
    }

    struct EdgeNote {
        EdgeKind kind;
        Index of;
        Index other;
    };

    const CutInput& m_input;
    const JointProgram& m_program;
    CutSolution& m_solution;
    std::vector<std::uint32_t> m_vertex;
    FlowNetwork m_network;
    std::vector<EdgeNote> m_edges;
};

} // namespace

base::Result<CutSolution> solveMinCut(const CutInput& input, const RecomputeBans& bans,
                                      const std::vector<bool>& dontBan) {
    CutSolution solution;
    solution.bans = banRecomputation(input, bans, dontBan);
    solution.weights.assign(input.program.size(), notInCut);
    solution.obstacles.assign(input.program.size(), SaveObstacle::None);
    AOTSCOPE_CHECK(CutMaker(input, solution).solve());
    return solution;
}

} // namespace aotscope::passes
