#include "graph/graph_panel.h"

#include "common/background.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/plain_words.h"
#include "graph/breadcrumb.h"
#include "graph/graph_panel_state.h"
#include "graph/legend.h"
#include "graph/minimap.h"
#include "graph/search_bar.h"
#include "load/compile_notes.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QSettings>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace aotscope::views {

void GraphPanel::State::follow(const session::Selection& selection, QObject* source) {
    const bool comesBack = std::exchange(m_lookedAway, false);
    if (m_wanted && selection.artifact == *m_wanted && !(comesBack && m_request.gaveUp())) {
        if (source != m_panel) {
            showHub(true);
        }
        refreshBreadcrumb();
        return;
    }
    const std::optional<load::Artifact> artifact = m_logs->tryArtifact(selection.artifact);
    const bool noGraph = artifact && !artifact->isGraph && selection.artifact.subgraph.empty();
    if (selection.artifact.artifact.empty() || noGraph) {
        m_lookedAway = true;
        if (!m_wanted) {
            showWithoutGraph(selection.artifact);
        }
        return; // A compile or another payload is selected: keep the last graph.
    }
    m_wanted = selection.artifact;
    request();
    refreshBreadcrumb();
}

/// Explains why a compile has no graph, as far as the log says.
void GraphPanel::State::showWithoutGraph(const session::ArtifactReference& selected) {
    const std::optional<load::CompileIndex> index = m_logs->tryIndex(selected);
    const load::Compile* compile = m_logs->tryCompile(selected);
    if (compile == nullptr || compile->id.empty() ||
        !artifactsOf(*m_logs->tryLog(selected.log), *index).graphs().empty()) {
        clear();
        return;
    }
    const std::string why = load::headline(compile->reason);
    m_page->showMessage(tr("%1 has no graph").arg(m_logs->idOf(selected)),
                        why.empty() ? tr("The log holds no graph of it.")
                                    : tr("%1: %2").arg(statusWord(compile->status), text(why)));
}

void GraphPanel::State::request(std::optional<GraphCanvas::Anchor> anchor) {
    if (!m_wanted) {
        return;
    }
    m_anchor = std::move(anchor);
    const Folds& folds = foldsOf(*m_wanted);
    session::LayOutGraph command{*m_wanted, {}, stagesOf(*m_wanted)};
    command.options.grouping = layout::Grouping(m_grouping->currentData().toInt());
    command.options.openGroups = folds.open;
    command.options.closedGroups = folds.closed;
    m_request.ask(std::move(command));
}

bool GraphPanel::State::showsWanted() const {
    return m_shown && m_wanted && m_shown->graph->reference == *m_wanted;
}

/// Keeps the previous picture, faded, until the wanted one arrives. If there is none, the page shows the
/// request's state.
void GraphPanel::State::followRequest() {
    const bool underWay = m_request.isUnderWay();
    if (underWay || m_request.gaveUp()) {
        m_canvas->setStale(underWay && m_canvas->scene() && !showsWanted());
    }
    const auto explain = [this] {
        const QString what = referenceText(*m_wanted);
        m_page->showRequest(&m_request, {.running = tr("Laying out %1 …").arg(what),
                                         .canceled = tr("Laying out %1 was canceled").arg(what),
                                         .failed = tr("No picture of %1").arg(what),
                                         .howTo = tr("The raw text is in the Text panel.")});
    };
    if (m_request.gaveUp()) {
        const auto& error = m_request.error();
        takeFailure(error ? text(error->message) : tr("Laying out was canceled"), explain);
    } else if (underWay && !m_canvas->scene()) {
        explain();
    }
}

std::optional<session::ArtifactReference>
GraphPanel::State::stagesOf(const session::ArtifactReference& graph) const {
    const session::RetraceSnapshotPtr& traced = m_hub->stages();
    return traced && session::stageOf(*traced, graph) ? std::optional(traced->made->reference) : std::nullopt;
}

GraphPanel::State::Folds& GraphPanel::State::foldsOf(const session::ArtifactReference& graph) {
    return m_folds[stagesOf(graph).value_or(graph)];
}

/// Prepares a large scene on another thread, so that the window stays responsive.
void GraphPanel::State::take(const session::LayoutSnapshotPtr& snapshot) {
    constexpr std::size_t few = 2'000;
    m_taken = snapshot;
    if (!snapshot->layout || snapshot->layout->boxes.size() + snapshot->layout->edges.size() <= few) {
        showScene(snapshot, GraphScene::make(snapshot));
        return;
    }
    runInBackground<GraphScenePtr>(
        this, [snapshot] { return GraphScene::make(snapshot); },
        [this, snapshot](const GraphScenePtr& scene) {
            if (m_taken == snapshot && snapshot->graph->reference == m_wanted) {
                showScene(snapshot, scene);
            }
        });
}

void GraphPanel::State::showScene(const session::LayoutSnapshotPtr& snapshot, const GraphScenePtr& scene) {
    m_taken = nullptr;
    if (!scene) {
        const base::Error error = snapshot->graph->error.value_or(
            base::Error{.code = "view.no_layout", .message = "The engine sent no picture of this graph."});
        takeFailure(text(error.message), [&] {
            m_page->showMessage(tr("No picture of %1").arg(referenceText(*m_wanted)),
                                text(error.text()) + QStringLiteral("\n\n") +
                                    tr("The raw text is in the Text panel."));
        });
        return;
    }
    const bool same = m_shown && m_shown->graph->reference == snapshot->graph->reference;
    // The stages of a trace are laid out together, so the view stays when switching between them.
    const bool sameWay = !m_shown || m_shown->stagesOf == snapshot->stagesOf;
    const bool keeps = m_shown && sameWay && (same || snapshot->stagesOf);
    if (!keeps) {
        keepView();
    }
    m_shown = snapshot;
    m_search->setGraph(snapshot->graph);
    m_page->showContent();
    m_canvas->setScene(scene, coloringOf(*scene), keeps ? m_anchor : std::nullopt, keeps);
    const std::optional<GraphCanvas::View> before =
        keeps ? std::nullopt : m_views.tryFind(*m_logs, snapshot->graph->reference);
    m_legend->setColoring(m_canvas->look().coloring);
    if (before) {
        m_canvas->showAgain(*before);
    }
    showMarks();
    refreshMarks();
    refreshHits();
    m_minimap->refresh();
    showHub(!keeps && !before);
    if (before && m_canvas->current().valid()) {
        m_canvas->ensureVisible(m_canvas->current());
    }
    showSpotlight();
    refreshBreadcrumb();
    refreshStatus();
    Q_EMIT m_panel->pictureChanged();
}

/// Remembers the view of the shown graph.
void GraphPanel::State::keepView() {
    if (const std::optional<GraphCanvas::View> view = m_shown ? m_canvas->chosenView() : std::nullopt) {
        m_views.keep(*m_logs, m_shown->graph->reference, *view);
    }
}

GraphViews& GraphPanel::State::views() {
    keepView();
    return m_views;
}

void GraphPanel::State::dropPicture() {
    keepView();
    m_shown = nullptr;
    m_canvas->setScene(nullptr, nullptr);
    m_search->setGraph(nullptr);
    m_legend->setColoring(nullptr);
    refreshMarks();
    m_legend->setChanges(0, 0);
    m_minimap->refresh();
}

/// If there is an earlier picture of the same graph it stays, and the status bar shows the error; otherwise
/// the page explains it.
void GraphPanel::State::takeFailure(const QString& message, const std::function<void()>& explain) {
    m_canvas->setStale(false);
    if (showsWanted()) {
        m_savedMessage = message;
    } else {
        dropPicture();
        explain();
    }
    refreshStatus();
}

void GraphPanel::State::clear() {
    m_wanted.reset();
    m_request.forget();
    dropPicture();
    m_page->showMessage(tr("No graph selected"),
                        tr("Open a trace log (Ctrl+O) and choose a compile: its joint, forward and backward "
                           "graphs are drawn here."));
    refreshBreadcrumb();
    refreshStatus();
    refreshZoom();
}

ir::NodeId GraphPanel::State::hubNode() const {
    const std::optional<session::Selection>& selection = m_hub->current();
    if (!m_shown || !selection || selection->artifact != m_shown->graph->reference) {
        return {};
    }
    return m_shown->graph->graph->tryFind(selection->node).value_or(ir::NodeId());
}

void GraphPanel::State::showHub(bool center) {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return;
    }
    const BoxId box = scene->boxOf(hubNode());
    m_canvas->setCurrent(box);
    if (center) {
        m_canvas->centerOn(box);
    }
}

/// The node to select when a box is picked. For a closed group: the selected node if it is inside, else the
/// group's first node. So the other panels follow, and after the group is opened the selection is inside.
ir::NodeId GraphPanel::State::standsFor(BoxId box) const {
    const GraphScenePtr& scene = m_canvas->scene();
    const layout::Box& picked = scene->box(box);
    if (picked.node.valid() || scene->boxOf(hubNode()) == box) {
        return picked.node.valid() ? picked.node : hubNode();
    }
    const std::vector<ir::NodeId>& nodes = scene->layout().groups[picked.group.index()].nodes;
    const auto first =
        std::ranges::min_element(nodes, {}, [&](ir::NodeId node) { return scene->graph().position(node); });
    return first == nodes.end() ? ir::NodeId() : *first;
}

void GraphPanel::State::pick(BoxId box) {
    if (!m_shown) {
        return;
    }
    const ir::NodeId node = box.valid() ? standsFor(box) : ir::NodeId();
    const std::string name = node.valid() ? m_shown->graph->graph->node(node).name : std::string();
    m_hub->select({m_shown->graph->reference, name}, m_panel);
    refreshBreadcrumb();
}

void GraphPanel::State::toggle(GroupId id) {
    const layout::Group& group = m_canvas->scene()->layout().groups[id.index()];
    Folds& folds = foldsOf(m_shown->graph->reference);
    std::set<std::string>& into = group.open ? folds.closed : folds.open;
    std::set<std::string>& outOf = group.open ? folds.open : folds.closed;
    into.insert(group.path);
    outOf.erase(group.path);
    request(GraphCanvas::Anchor{group.path, group.isBackward});
}

void GraphPanel::State::setAllGroups(bool open) {
    if (!m_shown || !m_shown->layout) {
        return;
    }
    Folds& folds = foldsOf(m_shown->graph->reference);
    folds = {};
    for (const layout::Group& group : m_shown->layout->groups) {
        (open ? folds.open : folds.closed).insert(group.path);
    }
    request();
}

void GraphPanel::State::openSearch() {
    m_searchBar->open();
}

void GraphPanel::State::moveToHit(int direction) {
    const std::vector<ir::NodeId>& found = m_search->found();
    if (found.empty() || !m_shown) {
        return;
    }
    const ir::Graph& graph = *m_shown->graph->graph;
    const auto count = std::ptrdiff_t(found.size());
    std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
    if (const ir::NodeId at = hubNode(); at.valid()) {
        const auto position = [&](ir::NodeId node) { return graph.position(node); };
        const auto after = direction > 0 ? std::ranges::upper_bound(found, graph.position(at), {}, position)
                                         : std::ranges::lower_bound(found, graph.position(at), {}, position);
        next = ((after - found.begin()) + (direction > 0 ? 0 : -1) + count) % count;
    }
    const ir::NodeId node = found[std::size_t(next)];
    m_hub->select({m_shown->graph->reference, graph.node(node).name}, m_panel);
    showHub(true);
    refreshBreadcrumb();
    m_searchBar->setPosition(int(next));
}

std::vector<std::string> GraphPanel::State::found() const {
    std::vector<std::string> names;
    if (m_shown && m_shown->graph->graph) {
        for (const ir::NodeId node : m_search->found()) {
            names.push_back(m_shown->graph->graph->node(node).name);
        }
    }
    return names;
}

void GraphPanel::State::refreshBreadcrumb() {
    if (!m_wanted) {
        m_breadcrumb->clear();
        return;
    }
    const session::LogSnapshotPtr log = m_logs->tryLog(m_wanted->log);
    // With a single log its name is left out, to make room for module and node.
    const bool several = m_logs->logs().size() > 1;
    Breadcrumb crumb{log && several ? titleOf(*log) : QString(), *m_wanted, {}, {}};
    const GraphScenePtr& scene = m_canvas->scene();
    if (scene && m_shown->graph->reference == *m_wanted && m_canvas->current().valid()) {
        const layout::Box& box = scene->box(m_canvas->current());
        if (box.node.valid()) {
            const auto& modules = m_shown->graph->modules.ofNode;
            crumb.module =
                box.node.index() < modules.size() ? text(modules[box.node.index()].path) : QString();
            crumb.node = text(scene->graph().node(box.node).name);
        } else {
            crumb.module = text(scene->layout().groups[box.group.index()].path);
        }
    }
    m_breadcrumb->setText(
        crumb.html(m_theme->theme(), m_breadcrumb->fontMetrics(), m_breadcrumb->contentsRect().width()));
    m_breadcrumb->setToolTip(plainToolTip(crumb.plain()));
}

bool GraphPanel::State::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_breadcrumb && event->type() == QEvent::Resize) {
        refreshBreadcrumb();
    }
    return QObject::eventFilter(watched, event);
}

void GraphPanel::State::breadcrumbLink(const QString& link) {
    const std::optional<Breadcrumb::Target> target = Breadcrumb::follow(link);
    if (!target || !m_wanted) {
        return;
    }
    if (target->subgraphDepth >= 0) {
        session::ArtifactReference up = *m_wanted;
        up.subgraph.resize(std::min(up.subgraph.size(), std::size_t(target->subgraphDepth)));
        m_hub->select({up, {}}, nullptr);
        m_canvas->fit();
        return;
    }
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return;
    }
    QRectF area;
    const std::string module = target->module.toStdString();
    for (const ir::NodeId node : scene->graph().order()) {
        const auto& modules = m_shown->graph->modules.ofNode;
        const bool inside =
            node.index() < modules.size() &&
            (modules[node.index()].path == module || modules[node.index()].path.starts_with(module + "."));
        if (const BoxId box = scene->boxOf(node); inside && box.valid()) {
            area = area.united(scene->rect(box));
        }
    }
    if (!area.isEmpty()) {
        m_canvas->showArea(area);
    }
}

void GraphPanel::State::refreshStatus() {
    QString status = m_savedMessage;
    QString toolTip;
    if (m_shown && status.isEmpty()) {
        status = formatCount(m_shown->graph->graph->size(), "node", "nodes");
        if (m_shown->layout->boxes.size() != m_shown->graph->graph->size()) {
            status += tr(" in %1 boxes").arg(formatCount(m_shown->layout->boxes.size()));
        }
        toolTip = tr("Layout: %1").arg(text(m_shown->layout->engine));
        if (!m_shown->layout->note.empty()) {
            toolTip += QLatin1Char('\n') + text(m_shown->layout->note);
            status += QStringLiteral(" · ") + text(m_shown->layout->engine);
        }
    }
    m_savedMessage.clear();
    m_status->setText(status);
    m_status->setToolTip(plainToolTip(toolTip));
}

void GraphPanel::State::refreshZoom() {
    m_zoom->setText(
        QStringLiteral("%1 %").arg(m_canvas->zoom() * 100, 0, 'f', m_canvas->zoom() < 0.01 ? 1 : 0));
}

GraphPanel::GraphPanel(const ViewContext& context, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("graphPanel"));
    m_state = std::make_unique<State>(context, this);
}

GraphPanel::~GraphPanel() = default;

void GraphPanel::rememberViews(QSettings& settings) const {
    settings.setValue(QStringLiteral("graph/views"), m_state->views().toList());
}

void GraphPanel::restoreViews(const QSettings& settings) {
    m_state->views().takeList(settings.value(QStringLiteral("graph/views")).toList());
}

session::LayoutSnapshotPtr GraphPanel::shown() const {
    return m_state->shown();
}

void GraphPanel::setRun(const session::RunSnapshotPtr& run) {
    m_state->setRun(run);
}

void GraphPanel::setPartition(const session::PartitionSnapshotPtr& split) {
    m_state->setPartition(split);
}

std::vector<ir::NodeId> GraphPanel::picked() const {
    return m_state->picked();
}

void GraphPanel::focusSearch() {
    m_state->openSearch();
}

void GraphPanel::openAllGroups(bool open) {
    m_state->setAllGroups(open);
}

std::vector<std::string> GraphPanel::found() const {
    return m_state->found();
}

PictureRequest GraphPanel::picture(bool selectionOnly) const {
    return m_state->picture(selectionOnly);
}

} // namespace aotscope::views
