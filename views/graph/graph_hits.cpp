#include "graph/graph_hits.h"

#include "graph/graph_search.h"
#include "graph/search_bar.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace aotscope::views {

GraphHits::GraphHits(GraphCanvas* canvas, const ThemeSource& theme, QObject* parent)
    : QObject(parent),
      m_canvas(canvas),
      m_search(new GraphSearch(this)),
      m_bar(new SearchBar(m_search, theme)) {
    connect(m_canvas, &GraphCanvas::searchRequested, this, &GraphHits::open);
    connect(m_search, &GraphSearch::changed, this, &GraphHits::refresh);
    connect(m_search, &GraphSearch::changed, this, &GraphHits::changed);
    connect(m_bar, &SearchBar::step, this, &GraphHits::stepRequested);
    connect(m_bar, &SearchBar::closed, this, [this] { m_canvas->setFocus(Qt::OtherFocusReason); });
}

void GraphHits::open() {
    m_bar->open();
}

void GraphHits::setGraph(const session::GraphSnapshotPtr& graph) {
    m_graph = graph;
    m_search->setGraph(graph);
}

void GraphHits::refresh() {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene || m_search->pattern().isEmpty() || !m_search->error().isEmpty()) {
        m_canvas->setHits(nullptr);
        return;
    }
    auto hits = std::make_shared<std::vector<std::uint32_t>>(scene->boxCount(), 0);
    for (const ir::NodeId node : m_search->found()) {
        if (const BoxId box = scene->boxOf(node); box.valid()) {
            ++(*hits)[box.index()];
        }
    }
    m_canvas->setHits(std::move(hits));
}

std::vector<std::string> GraphHits::names() const {
    std::vector<std::string> names;
    if (m_graph && m_graph->graph) {
        for (const ir::NodeId node : m_search->found()) {
            names.push_back(m_graph->graph->node(node).name);
        }
    }
    return names;
}

std::optional<ir::NodeId> GraphHits::step(int direction, ir::NodeId from) {
    const std::vector<ir::NodeId>& found = m_search->found();
    if (found.empty() || !m_graph) {
        return std::nullopt;
    }
    const ir::Graph& graph = *m_graph->graph;
    const auto count = std::ptrdiff_t(found.size());
    std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
    if (from.valid()) {
        const auto position = [&](ir::NodeId node) { return graph.position(node); };
        const auto after = direction > 0 ? std::ranges::upper_bound(found, position(from), {}, position)
                                         : std::ranges::lower_bound(found, position(from), {}, position);
        next = ((after - found.begin()) + (direction > 0 ? 0 : -1) + count) % count;
    }
    m_bar->setPosition(int(next));
    return found[std::size_t(next)];
}

} // namespace aotscope::views
