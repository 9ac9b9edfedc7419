#include "compare/aligned_rows.h"

namespace aotscope::views {

std::vector<AlignedRow> alignRows(const session::DiffSnapshot& snapshot) {
    const ir::Graph& left = *snapshot.left->graph;
    const ir::Graph& right = *snapshot.right->graph;
    const ir::GraphDiff& diff = snapshot.diff;
    std::vector<std::optional<std::size_t>> ofLeft(left.idBound());
    std::vector<std::optional<std::size_t>> ofRight(right.idBound());
    for (std::size_t i = 0; i < diff.differences.size(); ++i) {
        const ir::NodeDifference& each = diff.differences[i];
        if (each.left.valid()) {
            ofLeft[each.left.index()] = i;
        }
        if (each.right.valid()) {
            ofRight[each.right.index()] = i;
        }
    }
    std::vector<AlignedRow> rows;
    rows.reserve(left.size() + right.size());
    std::size_t nextLeft = 0;
    const auto takeRemovedBefore = [&](std::size_t position) {
        for (; nextLeft < left.size() && nextLeft < position; ++nextLeft) {
            const ir::NodeId node = left.order()[nextLeft];
            if (!diff.partnerOfLeft[node.index()].valid()) {
                rows.push_back({node, {}, ofLeft[node.index()]});
            }
        }
    };
    for (const ir::NodeId node : right.order()) {
        const ir::NodeId partner = diff.partnerOfRight[node.index()];
        if (partner.valid()) {
            takeRemovedBefore(left.position(partner));
        }
        const std::optional<std::size_t> difference =
            ofRight[node.index()] || !partner.valid() ? ofRight[node.index()] : ofLeft[partner.index()];
        rows.push_back({partner, node, difference});
    }
    takeRemovedBefore(left.size());
    return rows;
}

DifferenceCounts countDifferences(const ir::GraphDiff& diff) {
    DifferenceCounts counts;
    for (const ir::NodeDifference& difference : diff.differences) {
        switch (difference.kind) {
        case ir::NodeDifference::Kind::Added:
            ++counts.added;
            break;
        case ir::NodeDifference::Kind::Removed:
            ++counts.removed;
            break;
        case ir::NodeDifference::Kind::Changed:
            ++counts.changed;
            break;
        case ir::NodeDifference::Kind::Moved:
            ++counts.moved;
            break;
        case ir::NodeDifference::Kind::Renamed:
            ++counts.renamed;
            break;
        }
    }
    return counts;
}

} // namespace aotscope::views
