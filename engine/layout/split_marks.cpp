#include "layout/split_marks.h"

#include "layout/placement.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::layout {
namespace {

BoxId boxOf(const Layout& layout, ir::NodeId node) {
    return node.index() < layout.boxOfNode.size() ? layout.boxOfNode[node.index()] : BoxId();
}

class Marking {
public:
    Marking(const ir::Graph& graph, const Layout& layout, const SplitFacts& facts)
        : m_graph(graph), m_layout(layout), m_facts(facts) {}

    SplitMarks run() {
        markBoxes();
        makeBands();
        markEdges();
        std::ranges::stable_sort(m_marks.bands, std::greater<>(), &Band::bytes);
        return std::move(m_marks);
    }

private:
    void markBoxes() {
        m_marks.saved = m_facts.saved;
        m_marks.savedIn.assign(m_layout.boxes.size(), 0);
        m_marks.recomputed.assign(m_layout.boxes.size(), false);
        std::int64_t stored = 0;
        for (const SavedValue& value : m_facts.saved) {
            m_marks.savedBytes += value.bytes;
            stored += value.stored.value_or(value.bytes);
            if (const BoxId box = boxOf(m_layout, value.node); box.valid()) {
                ++m_marks.savedIn[box.index()];
            }
        }
        if (std::ranges::any_of(m_facts.saved, [](const auto& value) { return value.stored.has_value(); })) {
            m_marks.storedBytes = stored;
        }
        for (const ir::NodeId node : m_graph.order()) {
            if (m_facts.fates[node.index()] != ir::NodeFate::Recomputed) {
                continue;
            }
            ++m_marks.recomputedNodes;
            if (const BoxId box = boxOf(m_layout, node); box.valid()) {
                m_marks.recomputed[box.index()] = true;
            }
        }
    }

    void makeBands() {
        const std::vector<std::vector<ir::NodeId>> users = backwardUsers(m_graph, m_facts);
        for (std::uint32_t i = 0; i < users.size(); ++i) {
            const BoxId from = boxOf(m_layout, m_facts.saved[i].node);
            for (const ir::NodeId user : users[i]) {
                if (const BoxId to = boxOf(m_layout, user); from.valid() && to.valid() && from != to) {
                    add(i, from, to);
                }
            }
        }
        for (const Edge& edge : m_layout.edges) {
            const auto band = m_bands.find(keyOf(edge.from, edge.to));
            if (band != m_bands.end()) {
                m_marks.bands[band->second].path = edge.path;
            }
        }
        for (Band& band : m_marks.bands) {
            if (band.path.empty()) {
                band.path =
                    across(m_layout.boxes[band.from.index()].rect, m_layout.boxes[band.to.index()].rect);
            }
        }
    }

    void add(std::uint32_t value, BoxId from, BoxId to) {
        const auto [known, fresh] = m_bands.try_emplace(keyOf(from, to), m_marks.bands.size());
        if (fresh) {
            m_marks.bands.push_back({from, to, {}, 0, {}, {}});
        }
        Band& band = m_marks.bands[known->second];
        if (!band.saved.empty() && band.saved.back() == value) {
            return; // Another user in the same box.
        }
        const SavedValue& saved = m_facts.saved[value];
        if (saved.stored || band.stored) {
            band.stored = band.stored.value_or(band.bytes) + saved.stored.value_or(saved.bytes);
        }
        band.saved.push_back(value);
        band.bytes += saved.bytes;
    }

    void markEdges() {
        m_marks.edges.assign(m_layout.edges.size(), EdgeMark::Plain);
        std::unordered_map<std::uint64_t, std::size_t> across;
        for (std::size_t i = 0; i < m_layout.edges.size(); ++i) {
            const Edge& edge = m_layout.edges[i];
            const std::uint64_t key = keyOf(edge.from, edge.to);
            if (m_bands.contains(key)) {
                m_marks.edges[i] = edge.kind == EdgeKind::Saved ? EdgeMark::Banded : EdgeMark::Plain;
            } else if (edge.kind == EdgeKind::Saved) {
                across.emplace(key, i);
            }
        }
        std::unordered_set<std::uint32_t> again;
        for (const ir::NodeId node : m_graph.order()) {
            const BoxId from = boxOf(m_layout, node);
            if (across.empty() || !from.valid() || m_facts.fates[node.index()] != ir::NodeFate::Recomputed) {
                continue;
            }
            for (const ir::NodeId user : m_graph.users(node)) {
                const BoxId to = boxOf(m_layout, user);
                const auto edge = to.valid() ? across.find(keyOf(from, to)) : across.end();
                if (edge != across.end()) {
                    m_marks.edges[edge->second] = EdgeMark::Again;
                    again.insert(node.index());
                }
            }
        }
        m_marks.againValues = again.size();
    }

    const ir::Graph& m_graph;
    const Layout& m_layout;
    const SplitFacts& m_facts;
    SplitMarks m_marks;
    /// By ends: index in SplitMarks::bands.
    std::unordered_map<std::uint64_t, std::size_t> m_bands;
};

} // namespace

double bandWidth(std::int64_t bytes) {
    return bytes <= 0 ? 2 : std::clamp(2 + (std::log2(static_cast<double>(bytes)) - 10) * 0.5, 1.5, 12.0);
}

SplitMarks splitMarks(const ir::Graph& graph, const Layout& layout, const SplitFacts& facts) {
    return Marking(graph, layout, facts).run();
}

} // namespace aotscope::layout
