#include "graph/graph_panel_state.h"

#include "common/background.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "graph/breadcrumb_label.h"
#include "graph/graph_hits.h"
#include "graph/graph_menu.h"
#include "graph/graph_toolbar.h"
#include "graph/legend.h"
#include "graph/minimap.h"
#include "graph/picture_coloring.h"
#include "graph/picture_saver.h"
#include "graph/picture_selection.h"
#include "graph/picture_status.h"
#include "graph/progress_strip.h"
#include "graph/search_bar.h"
#include "load/compile_notes.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QShortcut>

#include <algorithm>
#include <functional>
#include <utility>

namespace aotscope::views {

GraphPanel::State::State(const ViewContext& context, GraphPanel* panel)
    : QObject(nullptr),
      m_panel(panel),
      m_hub(context.selection),
      m_logs(context.logs),
      m_canvas(new GraphCanvas(*context.theme)),
      m_toolbar(new GraphToolbar(m_canvas, *context.theme)),
      m_hits(new GraphHits(m_canvas, *context.theme, this)),
      m_selection(new PictureSelection(m_hub, m_canvas, panel, this)),
      m_legend(new Legend(*context.theme)),
      m_minimap(new Minimap(m_canvas)),
      m_coloring(new PictureColoring(context.engine,
                                     QStringLiteral("graph-marks-%1").arg(quintptr(panel), 0, 16),
                                     context.theme, m_canvas, m_legend, m_minimap, this)),
      m_saver(new PictureSaver(context.files, m_logs, m_canvas, panel, this)),
      m_menu(new GraphMenu(m_canvas, m_hub, m_saver, panel, this)),
      m_page(new EmptyPage(m_canvas)),
      m_status(new PictureStatus),
      m_request(context.engine, QStringLiteral("graph-layout-%1").arg(quintptr(panel), 0, 16)) {
    layOut(&m_request);
    connectEngine(context.engine);
    connectCanvas();
    connectMenu();
    clear();
    if (m_hub->current()) {
        follow(*m_hub->current(), nullptr);
    }
}

void GraphPanel::State::layOut(RequestBase* request) {
    auto* column = flushColumn(m_panel);
    column->addWidget(m_toolbar);
    column->addWidget(m_hits->bar());
    column->addWidget(m_page, 1);
    column->addWidget(new ProgressStrip(request));
    auto* footer = new QWidget;
    auto* row = new QHBoxLayout(footer);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(8);
    m_status->setObjectName(QStringLiteral("graphStatus"));
    row->addWidget(m_legend, 1);
    row->addWidget(m_status);
    column->addWidget(footer);
    setKeyboardPlace(m_panel, m_canvas);
}

void GraphPanel::State::connectEngine(EngineClient* engine) {
    connect(m_hub, &SelectionHub::selectionChanged, this, &State::follow);
    connect(m_hub, &SelectionHub::stagesChanged, this, [this] {
        const bool wasStage = m_shown && m_shown->stagesOf;
        if (m_wanted && (wasStage || stagesOf(*m_wanted))) {
            request();
        }
    });
    connect(&m_request, &RequestBase::answered, this, [this] { take(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::changed, this, &State::followRequest);
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        m_folds.eraseLog(log);
        if (m_wanted && m_wanted->log == log) {
            clear();
        }
    });
    connect(engine, &EngineClient::partitionReady, this, [this](const session::PartitionSnapshotPtr& split) {
        // The shown half has a new version.
        if (m_wanted == split->forward || m_wanted == split->backward) {
            request();
        }
    });
}

void GraphPanel::State::connectCanvas() {
    connect(m_canvas, &GraphCanvas::picked, this, &State::pick);
    connect(m_canvas, &GraphCanvas::bandPicked, this, &State::pickBand);
    connect(m_canvas, &GraphCanvas::toggleGroup, this, &State::toggle);
    connect(m_hits, &GraphHits::changed, m_panel, &GraphPanel::foundChanged);
    connect(m_hits, &GraphHits::stepRequested, this, &State::moveToHit);
    const auto shortcut = [this](const QKeySequence& keys, const auto& run) {
        auto* made = new QShortcut(keys, m_panel);
        made->setContext(Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, run);
    };
    shortcut(QKeySequence::FindNext, [this] { moveToHit(1); });
    shortcut(QKeySequence::FindPrevious, [this] { moveToHit(-1); });
}

void GraphPanel::State::connectMenu() {
    connect(m_toolbar, &GraphToolbar::groupingChosen, this, [this] { request(); });
    connect(m_toolbar, &GraphToolbar::colorByChosen, m_coloring, &PictureColoring::setColorBy);
    connect(m_toolbar, &GraphToolbar::searchRequested, m_hits, &GraphHits::open);
    connect(m_toolbar, &GraphToolbar::menuFilled, this, [this](QMenu& menu) {
        m_menu->addGroupActions(menu);
        menu.addSeparator();
        m_saver->addActions(menu);
    });
    connect(
        m_toolbar->breadcrumb(), &BreadcrumbLabel::followed, this,
        [this](const Breadcrumb::Target& target) { followBreadcrumb(target.subgraphDepth, target.module); });
    connect(m_canvas, &GraphCanvas::menuRequested, this,
            [this](BoxId box, GroupId group, const QPoint& global) {
                m_menu->popUp(box, group, global, m_coloring->hasPartition());
            });
    connect(m_canvas, &GraphCanvas::bandMenuRequested, this, [this](std::size_t band, const QPoint& global) {
        const std::vector<ir::NodeId> saved = savedAlong(band);
        pickNode(saved.front());
        m_menu->popUpBand(saved, global, m_coloring->hasPartition());
    });
    connect(m_menu, &GraphMenu::selectRequested, this, &State::pickNode);
    connect(m_menu, &GraphMenu::textRequested, this, [this](ir::NodeId node) {
        pickNode(node);
        Q_EMIT m_panel->showTextRequested();
    });
    connect(m_menu, &GraphMenu::whyRequested, this, [this](ir::NodeId node) {
        pickNode(node);
        Q_EMIT m_panel->whyRequested();
    });
    connect(m_menu, &GraphMenu::choiceRequested, this,
            [this](ir::NodeId node, std::optional<passes::Forced> choice) {
                pickNode(node);
                Q_EMIT m_panel->choiceRequested(m_canvas->scene()->graph().node(node).name, choice);
            });
    connect(m_menu, &GraphMenu::rerunRequested, this, [this](ir::NodeId node) {
        pickNode(node);
        Q_EMIT m_panel->rerunRequested();
    });
    connect(m_menu, &GraphMenu::breakpointRequested, this, [this](ir::NodeId node) {
        pickNode(node);
        Q_EMIT m_panel->breakpointRequested(m_canvas->scene()->graph().node(node).name);
    });
    connect(m_menu, &GraphMenu::toggleRequested, this, &State::toggle);
    connect(m_menu, &GraphMenu::allGroupsRequested, this, &State::setAllGroups);
    connect(m_saver, &PictureSaver::said, m_status, &PictureStatus::say);
}

void GraphPanel::State::follow(const session::Selection& selection, QObject* source) {
    const bool comesBack = std::exchange(m_lookedAway, false);
    if (m_wanted && selection.artifact == *m_wanted && !(comesBack && m_request.gaveUp())) {
        if (source != m_panel) {
            m_selection->show(true);
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
        !m_logs->tryLog(selected.log)->artifacts(*index).graphs().empty()) {
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
    session::LayOutGraph command{*m_wanted, {}, stagesOf(*m_wanted)};
    command.options.grouping = m_toolbar->grouping();
    m_folds.apply(foldsOf(*m_wanted), command.options);
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

session::ArtifactReference GraphPanel::State::foldsOf(const session::ArtifactReference& graph) const {
    return stagesOf(graph).value_or(graph);
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
    m_hits->setGraph(snapshot->graph);
    m_page->showContent();
    m_menu->close();
    m_canvas->setScene(scene, m_coloring->coloringOf(*scene), keeps ? m_anchor : std::nullopt, keeps);
    const std::optional<GraphCanvas::View> before =
        keeps ? std::nullopt : m_views.tryFind(*m_logs, snapshot->graph->reference);
    if (before) {
        m_canvas->showAgain(*before);
    }
    m_coloring->followScene();
    m_hits->refresh();
    m_minimap->refresh();
    m_selection->show(!keeps && !before);
    if (before && m_canvas->current().valid()) {
        m_canvas->ensureVisible(m_canvas->current());
    }
    m_selection->showSpotlight();
    refreshBreadcrumb();
    m_status->showPicture(snapshot);
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
    m_menu->close();
    keepView();
    m_shown = nullptr;
    m_canvas->setScene(nullptr, nullptr);
    m_hits->setGraph(nullptr);
    m_coloring->followScene();
    m_minimap->refresh();
}

/// If there is an earlier picture of the same graph it stays, and the status bar shows the error; otherwise
/// the page explains it.
void GraphPanel::State::takeFailure(const QString& message, const std::function<void()>& explain) {
    m_canvas->setStale(false);
    if (showsWanted()) {
        m_status->say(message);
    } else {
        dropPicture();
        m_status->showPicture(nullptr);
        explain();
    }
}

void GraphPanel::State::clear() {
    m_wanted.reset();
    m_request.forget();
    dropPicture();
    m_page->showMessage(tr("No graph selected"),
                        tr("Open a trace log (Ctrl+O) and choose a compile: its joint, forward and backward "
                           "graphs are drawn here."));
    refreshBreadcrumb();
    m_status->showPicture(nullptr);
    m_toolbar->refreshZoom();
}

void GraphPanel::State::toggle(GroupId id) {
    const layout::Group& group = m_canvas->scene()->layout().groups[id.index()];
    m_folds.toggle(foldsOf(m_shown->graph->reference), group);
    request(GraphCanvas::Anchor{group.path, group.isBackward});
}

void GraphPanel::State::setAllGroups(bool open) {
    if (m_shown && m_shown->layout) {
        m_folds.setAll(foldsOf(m_shown->graph->reference), *m_shown->layout, open);
        request();
    }
}

void GraphPanel::State::pick(BoxId box) {
    if (m_shown) {
        m_selection->pick(box);
        refreshBreadcrumb();
    }
}

void GraphPanel::State::pickNode(ir::NodeId node) {
    if (m_shown && m_canvas->scene()) {
        m_selection->select(node);
        m_selection->show(false);
        refreshBreadcrumb();
    }
}

std::vector<ir::NodeId> GraphPanel::State::savedAlong(std::size_t band) const {
    const layout::SplitMarks& split = m_canvas->look().marks->split();
    std::vector<std::uint32_t> indices = split.bands[band].saved;
    std::ranges::stable_sort(indices, std::greater<>(),
                             [&](std::uint32_t i) { return split.saved[i].bytes; });
    std::vector<ir::NodeId> saved;
    for (const std::uint32_t index : indices) {
        saved.push_back(split.saved[index].node);
    }
    const auto selected = std::ranges::find(saved, m_selection->node());
    std::rotate(saved.begin(), selected == saved.end() ? saved.begin() : selected, saved.end());
    return saved;
}

void GraphPanel::State::pickBand(std::size_t band) {
    const std::vector<ir::NodeId> saved = savedAlong(band);
    const bool isSelected = saved.front() == m_selection->node();
    pickNode(saved[isSelected && saved.size() > 1 ? 1 : 0]);
}

void GraphPanel::State::moveToHit(int direction) {
    const std::optional<ir::NodeId> hit =
        m_shown ? m_hits->step(direction, m_selection->node()) : std::nullopt;
    if (hit) {
        m_selection->select(*hit);
        m_selection->show(true);
        refreshBreadcrumb();
    }
}

void GraphPanel::State::refreshBreadcrumb() {
    if (!m_wanted) {
        m_toolbar->breadcrumb()->setCrumb(std::nullopt);
        return;
    }
    const session::LogSnapshotPtr log = m_logs->tryLog(m_wanted->log);
    // With a single log its name is left out, to make room for module and node.
    const bool several = m_logs->logs().size() > 1;
    Breadcrumb crumb{log && several ? titleOf(*log) : QString(), *m_wanted, {}, {}};
    if (showsWanted()) {
        m_selection->nameCurrent(crumb);
    }
    m_toolbar->breadcrumb()->setCrumb(std::move(crumb));
}

void GraphPanel::State::followBreadcrumb(int subgraphDepth, const QString& module) {
    if (!m_wanted) {
        return;
    }
    if (subgraphDepth < 0) {
        m_selection->showModule(module.toStdString());
        return;
    }
    session::ArtifactReference up = *m_wanted;
    up.subgraph.resize(std::min(up.subgraph.size(), std::size_t(subgraphDepth)));
    m_hub->select({up, {}}, nullptr);
    m_canvas->fit();
}

} // namespace aotscope::views
