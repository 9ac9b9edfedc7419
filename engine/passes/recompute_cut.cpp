#include "passes/recompute_cut.h"

#include "passes/max_flow.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::passes {
namespace {

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
        m_solution.value = outcome.cut.value;
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_vertex[i] != 0 && !outcome.cut.sinkSide[m_vertex[i]] &&
                outcome.cut.sinkSide[m_vertex[i] + 1]) {
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
