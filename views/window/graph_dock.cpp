#include "window/graph_dock.h"

#include "common/current_graph.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "graph/graph_panel.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace aotscope::views {

namespace {

/// Order of the main graphs: as the compiler makes them.
int placeOf(const load::Artifact& artifact) {
    static constexpr const char* order[] = {"dynamo",  "compiled_autograd", "joint", "inference",
                                            "forward", "backward",          "graph"};
    const std::string stem = artifact.name.substr(0, artifact.name.find('#'));
    const auto found = std::find(std::begin(order), std::end(order), stem);
    return static_cast<int>(found - std::begin(order));
}
constexpr int notMain = 7;
/// A compile of no id may hold as many graphs as the log has records.
constexpr std::size_t mostTabs = 12;
constexpr qsizetype mostInMenu = 200;

} // namespace

GraphDock::GraphDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_kinds(new QTabBar),
      m_more(new QToolButton),
      m_panel(new GraphPanel(context.view)) {
    m_kinds->setDrawBase(false);
    m_kinds->setExpanding(false);
    m_kinds->setUsesScrollButtons(true);
    m_kinds->setAccessibleName(tr("Graphs of the compile"));
    m_more->setText(tr("More"));
    m_more->setToolTip(tr("Other graphs of this compile"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(4, 0, 4, 0);
    bar->addWidget(m_kinds);
    bar->addWidget(m_more);
    bar->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_panel, 1);
    setFocusProxy(m_panel);
    connect(m_kinds, &QTabBar::currentChanged, this, [this](int tab) {
        if (!m_following && tab >= 0 && static_cast<std::size_t>(tab) < m_names.size()) {
            choose(m_names[static_cast<std::size_t>(tab)]);
        }
    });
    connect(context.view.selection, &SelectionHub::selectionChanged, this, &GraphDock::follow);
    connect(context.view.selection, &SelectionHub::historyChanged, this, &GraphDock::follow);
    connect(context.logs, &LogList::changed, this, &GraphDock::follow);
    connect(context.graph, &CurrentGraph::runChanged, this,
            [this] { m_panel->setRun(m_context.graph->run()); });
    follow();
}

void GraphDock::choose(const std::string& artifact) {
    if (const std::optional<session::Selection> current = m_context.view.selection->current()) {
        session::ArtifactReference reference = current->artifact;
        reference.artifact = artifact;
        reference.subgraph.clear();
        // The node of the same name is shown when the other graph has one.
        m_context.view.selection->select({reference, current->node}, this);
    }
}

void GraphDock::stepKind(int step) {
    if (m_kinds->count() > 0) {
        m_kinds->setCurrentIndex((m_kinds->currentIndex() + step + m_kinds->count()) % m_kinds->count());
    }
}

void GraphDock::follow() {
    const std::optional<session::Selection>& current = m_context.view.selection->current();
    const std::optional<load::CompileIndex> compile =
        current ? m_context.logs->tryIndex(current->artifact) : std::nullopt;
    std::vector<load::Artifact> graphs;
    if (compile) {
        graphs = artifactsOf(*m_context.logs->tryLog(current->artifact.log), *compile);
    }
    std::erase_if(graphs, [](const load::Artifact& artifact) { return !artifact.isGraph; });
    std::stable_sort(graphs.begin(), graphs.end(),
                     [](const load::Artifact& left, const load::Artifact& right) {
                         return placeOf(left) < placeOf(right);
                     });
    m_following = true;
    const QSignalBlocker blocker(m_kinds);
    std::vector<std::string> names;
    m_more->menu()->clear();
    for (const load::Artifact& graph : graphs) {
        const bool shown = current && current->artifact.artifact == graph.name;
        if ((placeOf(graph) < notMain && names.size() < mostTabs) || shown) {
            names.push_back(graph.name);
        } else if (m_more->menu()->actions().size() < mostInMenu) {
            m_more->menu()->addAction(artifactTitle(graph.name), this,
                                      [this, name = graph.name] { choose(name); });
        }
    }
    if (m_more->menu()->actions().size() == mostInMenu) {
        m_more->menu()->addAction(tr("The others are in the Compiles panel"))->setEnabled(false);
    }
    m_more->setVisible(!m_more->menu()->isEmpty());
    if (names != m_names) {
        while (m_kinds->count() > 0) {
            m_kinds->removeTab(m_kinds->count() - 1);
        }
        for (const std::string& name : names) {
            m_kinds->addTab(artifactTitle(name));
        }
        m_names = std::move(names);
    }
    const auto shown =
        current ? std::find(m_names.begin(), m_names.end(), current->artifact.artifact) : m_names.end();
    if (shown != m_names.end()) {
        m_kinds->setCurrentIndex(static_cast<int>(shown - m_names.begin()));
    }
    m_kinds->setVisible(m_kinds->count() > 0);
    m_following = false;
}

} // namespace aotscope::views
