#include "ir/backward_lines.h"

#include "ir/module_source.h"

#include <algorithm>

namespace aotscope::ir::detail {

BackwardLines::Line BackwardLines::lineOf(const SourceLocation& source) {
    return {source.file, source.function, source.line};
}

void BackwardLines::addForward(NodeId id) {
    const SourceLocation* source = sourceOf(m_graph.node(id));
    if (m_forward.empty() || !isSameLine(source, m_forward.back().source)) {
        if (source != nullptr) {
            m_byLine[lineOf(*source)].push_back(m_forward.size());
        }
        m_forward.push_back({source, {}});
    }
    m_stretchOf[id.index()] = m_forward.size() - 1;
    m_forward.back().nodes.push_back(id);
}

void BackwardLines::pair(const std::vector<NodeId>& backward, const Take& take) {
    m_next.clear();
    for (const auto& [line, stretches] : m_byLine) {
        m_next.emplace(line, stretches.size());
    }
    Stretch stretch;
    for (const NodeId id : backward) {
        const SourceLocation* source = sourceOf(m_graph.node(id));
        if (!stretch.nodes.empty() && !isSameLine(source, stretch.source)) {
            settle(stretch, take);
            stretch.nodes.clear();
        }
        stretch.source = source;
        stretch.nodes.push_back(id);
    }
    settle(stretch, take);
}

void BackwardLines::settle(const Stretch& stretch, const Take& take) {
    const Run partner = stretch.source == nullptr ? none : partnerOf(stretch);
    for (const NodeId id : stretch.nodes) {
        take(id, partner);
    }
}

BackwardLines::Run BackwardLines::partnerOf(const Stretch& stretch) {
    const auto known = m_byLine.find(lineOf(*stretch.source));
    if (known == m_byLine.end()) {
        return none;
    }
    const std::vector<Run>& candidates = known->second;
    std::size_t& next = m_next[known->first];
    for (const NodeId id : stretch.nodes) {
        for (const NodeId input : m_graph.inputs(id)) {
            const Run at = m_stretchOf[input.index()];
            if (at != none && isSameLine(m_forward[at].source, stretch.source)) {
                next =
                    static_cast<std::size_t>(std::ranges::lower_bound(candidates, at) - candidates.begin());
                return at;
            }
        }
    }
    next -= next > 0 ? 1 : 0;
    return candidates[next];
}

} // namespace aotscope::ir::detail
