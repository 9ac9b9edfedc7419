#include "ir/graph.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace aotscope::ir {
namespace {

/// Compares arguments of two graphs. Nodes correspond by position in program order: ids differ if a graph was
/// edited, and names may repeat.
class ArgumentComparison {
public:
    ArgumentComparison(const GraphContents& left, const GraphContents& right)
        : m_leftPositions(positions(left)), m_rightPositions(positions(right)) {}

    [[nodiscard]] bool equal(const Argument& left, const Argument& right) const {
        return equalArguments(left, right, std::bind_front(&ArgumentComparison::sameNode, this),
                              [](const auto& a, const auto& b) { return a.text == b.text; });
    }

    [[nodiscard]] bool equalItems(const Arguments& left, const Arguments& right) const {
        return std::ranges::equal(left, right, std::bind_front(&ArgumentComparison::equal, this));
    }

private:
    static std::vector<std::uint32_t> positions(const GraphContents& graph) {
        std::vector<std::uint32_t> positions(graph.idBound(), 0);
        std::uint32_t position = 0;
        for (const NodeId id : graph.order()) {
            positions[id.index()] = position++;
        }
        return positions;
    }

    [[nodiscard]] bool sameNode(NodeId left, NodeId right) const {
        return left.index() < m_leftPositions.size() && right.index() < m_rightPositions.size() &&
               m_leftPositions[left.index()] == m_rightPositions[right.index()];
    }

    std::vector<std::uint32_t> m_leftPositions;
    std::vector<std::uint32_t> m_rightPositions;
};

bool equalOrigins(const std::shared_ptr<const NodeOrigin>& left,
                  const std::shared_ptr<const NodeOrigin>& right) {
    return left == right || (left && right && *left == *right);
}

bool equalNodes(const Node& left, const Node& right, const ArgumentComparison& arguments) {
    const bool sameKeywords = std::ranges::equal(
        left.kwargs, right.kwargs, [&](const KeywordArgument& a, const KeywordArgument& b) {
            return a.name == b.name && arguments.equal(a.value, b.value);
        });
    return sameKeywords && left.name == right.name && left.op == right.op && left.target == right.target &&
           arguments.equalItems(left.args, right.args) && equalValues(left.value, right.value) &&
           equalOrigins(left.origin, right.origin) && left.descriptors == right.descriptors &&
           left.inputSource == right.inputSource && left.modulePath == right.modulePath &&
           left.sequenceNumber == right.sequenceNumber && left.partitionerTag == right.partitionerTag &&
           left.originalAten == right.originalAten && left.extra == right.extra;
}

template<typename Entries, typename Equal>
bool equalEntries(const Entries& left, const Entries& right, Equal&& equal) {
    return std::ranges::equal(left, right, [&](const auto& a, const auto& b) {
        return a.first == b.first && equal(a.second, b.second);
    });
}

} // namespace

bool equalGraphs(const GraphContents& left, const GraphContents& right) {
    if (left.size() != right.size() || left.style() != right.style() ||
        left.symbolHints() != right.symbolHints()) {
        return false;
    }
    const ArgumentComparison arguments(left, right);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!equalNodes(left.node(left.order()[i]), right.node(right.order()[i]), arguments)) {
            return false;
        }
    }
    return equalEntries(left.constants(), right.constants(), equalValues) &&
           equalEntries(left.subgraphs(), right.subgraphs(),
                        [](const GraphPtr& a, const GraphPtr& b) { return a == b || equalGraphs(*a, *b); });
}

} // namespace aotscope::ir
