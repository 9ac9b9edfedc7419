#include "ir/module_backward.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace aotscope::ir::detail {
namespace {

using Line = std::tuple<std::string_view, std::string_view, int>;

const SourceLocation* nodeSource(const Node& node) {
    return node.origin && node.origin->source ? &*node.origin->source : nullptr;
}

/// Consecutive nodes of one source line.
struct Stretch {
    const SourceLocation* source = nullptr;
    std::vector<NodeId> nodes;
};

class BackwardPaths {
public:
    BackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths)
        : m_graph(graph), m_phases(phases), m_paths(paths), m_stretchOf(graph.idBound(), none) {}

    void derive() {
        for (const NodeId id : m_graph.order()) {
            if (isCall(id) && m_phases[id.index()] == Phase::Forward) {
                rememberForward(id);
            }
        }
        for (auto& [line, stretches] : m_byLine) {
            m_next.emplace(line, stretches.size());
        }
        Stretch stretch;
        for (const NodeId id : m_graph.order()) {
            if (!isCall(id) || m_phases[id.index()] != Phase::Backward) {
                continue;
            }
            const SourceLocation* source = nodeSource(m_graph.node(id));
            const bool continues = !stretch.nodes.empty() && sameLine(source, stretch.source);
            if (!continues) {
                settle(stretch);
                stretch = {source, {}};
            }
            stretch.nodes.push_back(id);
        }
        settle(stretch);
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    [[nodiscard]] bool isCall(NodeId id) const {
        const Opcode op = m_graph.node(id).op;
        return op != Opcode::Placeholder && op != Opcode::Output;
    }

    static bool sameLine(const SourceLocation* left, const SourceLocation* right) {
        return left == right || (left != nullptr && right != nullptr && *left == *right);
    }

    static Line lineOf(const SourceLocation& source) { return {source.file, source.function, source.line}; }

    void rememberForward(NodeId id) {
        const Node& node = m_graph.node(id);
        if (node.sequenceNumber && m_paths[id.index()]) {
            m_bySequence.emplace(*node.sequenceNumber, *m_paths[id.index()]);
        }
        const SourceLocation* source = nodeSource(node);
        if (!sameLine(source, m_lastSource) || m_forward.empty()) {
            if (source != nullptr) {
                m_byLine[lineOf(*source)].push_back(m_forward.size());
            }
            m_forward.push_back({source, {}});
            m_lastSource = source;
        }
        m_stretchOf[id.index()] = m_forward.size() - 1;
        m_forward.back().nodes.push_back(id);
    }

    void settle(const Stretch& stretch) {
        const std::size_t partner = stretch.source == nullptr ? none : findPartner(stretch);
        for (const NodeId id : stretch.nodes) {
            if (!m_paths[id.index()]) {
                m_paths[id.index()] = pathFor(id, partner);
            }
        }
    }

    /// The forward stretch that a backward stretch belongs to, as an index into m_forward.
    std::size_t findPartner(const Stretch& stretch) {
        const auto known = m_byLine.find(lineOf(*stretch.source));
        if (known == m_byLine.end()) {
            return none;
        }
        const std::vector<std::size_t>& candidates = known->second;
        std::size_t& next = m_next[known->first];
        for (const NodeId id : stretch.nodes) {
            for (const NodeId input : m_graph.inputs(id)) {
                const std::size_t at = m_stretchOf[input.index()];
                if (at != none && sameLine(m_forward[at].source, stretch.source)) {
                    next = static_cast<std::size_t>(
                        std::lower_bound(candidates.begin(), candidates.end(), at) - candidates.begin());
                    return at;
                }
            }
        }
        next -= next > 0 ? 1 : 0;
        return candidates[next];
    }

    std::optional<std::string> pathFor(NodeId id, std::size_t partner) const {
        const Node& node = m_graph.node(id);
        if (node.sequenceNumber) {
            const auto found = m_bySequence.find(*node.sequenceNumber);
            if (found != m_bySequence.end()) {
                return found->second;
            }
        }
        // A saved value of the partner is more precise than the line, which may call several modules.
        for (const NodeId input : m_graph.inputs(id)) {
            const bool ofPartner = partner != none && m_stretchOf[input.index()] == partner;
            const bool parameter = m_graph.node(input).op == Opcode::Placeholder;
            if ((ofPartner || (parameter && partner == none)) && m_paths[input.index()]) {
                return m_paths[input.index()];
            }
        }
        if (partner != none) {
            return partnerPath(partner);
        }
        for (const NodeId input : m_graph.inputs(id)) {
            if (isCall(input) && m_paths[input.index()]) {
                return m_paths[input.index()];
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> partnerPath(std::size_t partner) const {
        // The backward starts with the last node of the stretch.
        const Stretch& forward = m_forward[partner];
        return m_paths[forward.nodes.back().index()];
    }

    const Graph& m_graph;
    const std::vector<Phase>& m_phases;
    PathTable& m_paths;
    std::vector<std::size_t> m_stretchOf;
    std::vector<Stretch> m_forward;
    std::map<Line, std::vector<std::size_t>> m_byLine;
    std::map<Line, std::size_t> m_next;
    std::unordered_map<std::int64_t, std::string> m_bySequence;
    const SourceLocation* m_lastSource = nullptr;
};

} // namespace

void deriveBackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths) {
    BackwardPaths(graph, phases, paths).derive();
}

} // namespace aotscope::ir::detail
