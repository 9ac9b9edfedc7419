#pragma once

#include "ir/graph.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace aotscope::ir::detail {

/// Pairs backward nodes with the forward nodes of their source line. The backward runs in reverse and its
/// nodes carry the forward's source lines. So a run of backward nodes of one line belongs to the last run of
/// forward nodes of that line that has no partner yet, unless a saved value that it uses identifies the run.
class BackwardLines {
public:
    explicit BackwardLines(const Graph& graph) : m_graph(graph), m_stretchOf(graph.idBound(), none) {}

    /// In program order, before `pair`.
    void addForward(NodeId id);

    /// A run of forward nodes of one line.
    using Run = std::size_t;
    static constexpr Run none = static_cast<Run>(-1);

    /// Calls `take` for each node with the run of forward nodes that it belongs to; none: it carries no line,
    /// or nothing of the forward has it. `backward` is in program order.
    using Take = std::function<void(NodeId id, Run run)>;
    void pair(const std::vector<NodeId>& backward, const Take& take);

    [[nodiscard]] const std::vector<NodeId>& nodesOf(Run run) const { return m_forward[run].nodes; }
    [[nodiscard]] bool isIn(NodeId forward, Run run) const { return m_stretchOf[forward.index()] == run; }

private:
    using Line = std::tuple<std::string_view, std::string_view, int>;
    /// Consecutive nodes of one source line.
    struct Stretch {
        const SourceLocation* source = nullptr;
        std::vector<NodeId> nodes;
    };

    [[nodiscard]] static Line lineOf(const SourceLocation& source);
    void settle(const Stretch& stretch, const Take& take);
    [[nodiscard]] Run partnerOf(const Stretch& stretch);

    const Graph& m_graph;
    /// By node id index.
    std::vector<Run> m_stretchOf;
    std::vector<Stretch> m_forward;
    std::map<Line, std::vector<Run>> m_byLine;
    std::map<Line, std::size_t> m_next;
};

} // namespace aotscope::ir::detail
