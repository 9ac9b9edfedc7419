#include "ir/compare/graph_diff.h"

#include "base/joined.h"
#include "ir/compare/graph_match.h"
#include "ir/text/printer.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

using Kind = NodeDifference::Kind;

class DiffBuilder {
public:
    DiffBuilder(const Graph& left, const Graph& right)
        : m_left(left),
          m_right(right),
          m_matching(detail::matchGraphs(left, right)),
          m_kept(detail::keptInOrder(left, right, m_matching)) {}

    GraphDiff build() {
        collectRemoved();
        addRemovedAfter(0);
        for (const NodeId id : m_right.order()) {
            const NodeId partner = m_matching.ofRight[id.index()];
            if (!partner.valid()) {
                m_diff.differences.push_back({Kind::Added, NodeId(), id, {}});
            } else {
                comparePartners(partner, id);
            }
            addRemovedAfter(m_right.position(id) + 1);
        }
        m_diff.partnerOfLeft = m_matching.ofLeft;
        m_diff.partnerOfRight = m_matching.ofRight;
        return std::move(m_diff);
    }

private:
    /// Each removed node is shown after the partner of the last node before it that has one.
    void collectRemoved() {
        m_removedAfter.resize(m_right.size() + 1);
        std::size_t place = 0;
        for (const NodeId id : m_left.order()) {
            const NodeId partner = m_matching.ofLeft[id.index()];
            if (!partner.valid()) {
                m_removedAfter[place].push_back(id);
            } else if (m_kept[id.index()]) {
                place = m_right.position(partner) + 1;
            }
        }
    }

    void addRemovedAfter(std::size_t place) {
        for (const NodeId id : m_removedAfter[place]) {
            m_diff.differences.push_back({Kind::Removed, id, NodeId(), {}});
        }
    }

    void comparePartners(NodeId left, NodeId right) {
        NodeDifference difference{Kind::Changed, left, right,
                                  detail::compareNodes(m_left, m_right, m_matching, left, right)};
        const bool changed = !difference.details.empty();
        const bool moved = !m_kept[left.index()];
        const std::string& name = m_left.node(left).name;
        const std::string& otherName = m_right.node(right).name;
        if (moved) {
            difference.details.push_back("position: " + std::to_string(m_left.position(left)) + " → " +
                                         std::to_string(m_right.position(right)));
        }
        if (name != otherName) {
            difference.details.push_back("name: " + name + " → " + otherName);
        }
        if (difference.details.empty()) {
            return;
        }
        difference.kind = changed ? Kind::Changed : moved ? Kind::Moved : Kind::Renamed;
        m_diff.differences.push_back(std::move(difference));
    }

    const Graph& m_left;
    const Graph& m_right;
    detail::Matching m_matching;
    std::vector<bool> m_kept;
    std::vector<std::vector<NodeId>> m_removedAfter;
    GraphDiff m_diff;
};

std::string nodeText(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    if (node.op == Opcode::Placeholder || node.op == Opcode::Output) {
        return node.name + " (" + std::string(base::wordOf(node.op)) + ')';
    }
    return node.name + " = " + callText(graph, id);
}

} // namespace

bool GraphDiff::equalUpToNames() const {
    return std::all_of(differences.begin(), differences.end(),
                       [](const NodeDifference& difference) { return difference.kind == Kind::Renamed; });
}

GraphDiff diffGraphs(const Graph& left, const Graph& right) {
    return DiffBuilder(left, right).build();
}

std::string diffText(const Graph& left, const Graph& right, const GraphDiff& diff) {
    std::string text;
    for (const NodeDifference& difference : diff.differences) {
        std::string word(base::wordOf(difference.kind));
        word.resize(std::string_view("changed  ").size(), ' ');
        text += word;
        if (difference.kind == Kind::Added) {
            text += nodeText(right, difference.right);
        } else if (difference.kind == Kind::Removed) {
            text += nodeText(left, difference.left);
        } else {
            text += difference.kind == Kind::Renamed ? "" : left.node(difference.left).name + ": ";
            text += base::joined(difference.details, "; ");
        }
        text += '\n';
    }
    return text;
}

} // namespace aotscope::ir
