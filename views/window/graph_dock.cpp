#include "window/graph_dock.h"

#include "common/current_graph.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/selection_hub.h"
#include "graph/graph_panel.h"
#include "graph/picture_coloring.h"
#include "load/graph_kind.h"
#include "partition/current_partition.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <set>

namespace aotscope::views {

namespace {

/// The row without a compile id may have as many graphs as the log has records.
constexpr std::size_t mostTabs = 12;
constexpr std::size_t mostInMenu = 200;

/// Graphs of a compile by exact name.
struct GraphChoices {
    std::vector<std::string> tabs;
    /// For the menu.
    std::vector<std::string> others;
    /// There are more than are listed.
    bool hasMore = false;
    /// The selected graph, which always has a tab. Empty if no graph is selected.
    std::string shown;
};

/// Tabs for the first main graphs and the selected one; the others go into the menu in file order. Examines
/// only as many artifacts as it lists.
GraphChoices choicesOf(const load::ArtifactList& artifacts, const std::string& selected) {
    GraphChoices choices;
    std::set<std::size_t> inTabs;
    const auto addTab = [&](std::size_t place) {
        if (inTabs.insert(place).second) {
            choices.tabs.push_back(artifacts.exactName(place));
        }
    };
    for (const load::GraphKind kind : load::graphKinds) {
        for (const std::uint32_t place : artifacts.placesOf(base::wordOf(kind))) {
            if (choices.tabs.size() == mostTabs) {
                break;
            }
            if (artifacts[place].isGraph) {
                addTab(place);
            }
        }
    }
    const auto shown = artifacts.tryPlace(selected);
    if (shown && artifacts[*shown].isGraph) {
        choices.shown = artifacts.exactName(*shown);
        addTab(*shown);
    }
    for (const std::uint32_t place : artifacts.graphs()) {
        if (inTabs.contains(place)) {
            continue;
        }
        if (choices.others.size() == mostInMenu) {
            choices.hasMore = true;
            break;
        }
        choices.others.push_back(artifacts.exactName(place));
    }
    return choices;
}

/// Adds the halves of the partition from here: as tabs while one of them is shown, else to the menu.
void addHalves(GraphChoices& choices, const session::PartitionSnapshotPtr& split,
               const session::ArtifactReference& selected) {
    if (!split) {
        return;
    }
    const std::array halves = {split->forward.artifact, split->backward.artifact};
    const bool shown = selected == split->forward || selected == split->backward;
    auto& names = shown ? choices.tabs : choices.others;
    names.insert(shown ? names.end() : names.begin(), halves.begin(), halves.end());
    if (shown) {
        choices.shown = selected.artifact;
    }
}

/// Adds another graph that is in no file (a stage or a partial graph) as a tab while it is shown.
void addMade(GraphChoices& choices, const load::ArtifactList& artifacts,
             const session::ArtifactReference& selected) {
    const bool isMade = !selected.artifact.empty() && !artifacts.tryPlace(selected.artifact);
    if (choices.shown.empty() && isMade) {
        choices.tabs.push_back(selected.artifact);
        choices.shown = selected.artifact;
    }
}

} // namespace

GraphDock::GraphDock(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_kinds(new QTabBar),
      m_more(new QToolButton),
      m_panel(new GraphPanel(context)) {
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
    auto* layout = flushColumn(this);
    layout->addLayout(bar);
    layout->addWidget(m_panel, 1);
    setKeyboardPlace(this, m_panel);
    connect(m_kinds, &QTabBar::currentChanged, this, [this](int tab) {
        if (!m_following && tab >= 0 && static_cast<std::size_t>(tab) < m_names.size()) {
            choose(m_names[static_cast<std::size_t>(tab)]);
        }
    });
    connect(context.selection, &SelectionHub::selectionChanged, this, &GraphDock::follow);
    connect(context.selection, &SelectionHub::historyChanged, this, &GraphDock::follow);
    connect(context.logs, &LogList::changed, this, &GraphDock::follow);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &GraphDock::follow);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &GraphDock::showPartition);
    connect(context.graph, &CurrentGraph::runChanged, this,
            [this] { m_panel->setRun(m_context.graph->run()); });
    follow();
}

void GraphDock::choose(const std::string& artifact) {
    if (const std::optional<session::Selection> current = m_context.selection->current()) {
        session::ArtifactReference reference = m_graph.value_or(current->artifact);
        reference.artifact = artifact;
        reference.subgraph.clear();
        // Keep the selected node if the other graph has one with that name.
        m_context.selection->select({reference, current->node}, this);
    }
}

void GraphDock::moveKind(int by) {
    if (m_kinds->count() > 0) {
        m_kinds->setCurrentIndex((m_kinds->currentIndex() + by + m_kinds->count()) % m_kinds->count());
    }
}

void GraphDock::followGraph() {
    if (m_graph && !m_context.logs->tryIndex(*m_graph)) {
        m_graph.reset();
    }
    const std::optional<session::Selection>& current = m_context.selection->current();
    if (!current || current->artifact.artifact.empty()) {
        return;
    }
    const std::optional<load::Artifact> artifact = m_context.logs->tryArtifact(current->artifact);
    if (!artifact || artifact->isGraph || !current->artifact.subgraph.empty()) {
        m_graph = current->artifact;
    }
}

void GraphDock::showPartition() {
    const CurrentPartition& split = *m_context.partition;
    if (!m_graph || !split.concerns(*m_graph)) {
        m_panel->setPartition(std::nullopt);
        return;
    }
    m_panel->setPartition(ShownPartition{*split.joint(), split.choices(), split.snapshot(),
                                         !split.snapshot() && split.error()});
}

void GraphDock::follow() {
    followGraph();
    const std::optional<load::CompileIndex> compile =
        m_graph ? m_context.logs->tryIndex(*m_graph) : std::nullopt;
    GraphChoices choices;
    if (compile) {
        const load::ArtifactList& artifacts = m_context.logs->tryLog(m_graph->log)->artifacts(*compile);
        choices = choicesOf(artifacts, m_graph->artifact);
        addHalves(choices, m_context.partition->snapshot(), *m_graph);
        addMade(choices, artifacts, *m_graph);
    }
    showPartition();
    m_following = true;
    const QSignalBlocker blocker(m_kinds);
    if (choices.others != m_others) {
        m_more->menu()->clear();
        for (const std::string& name : choices.others) {
            m_more->menu()->addAction(artifactTitle(name), this, [this, name] { choose(name); });
        }
        if (choices.hasMore) {
            m_more->menu()->addAction(tr("The others are in the Compiles panel"))->setEnabled(false);
        }
        m_others = std::move(choices.others);
    }
    m_more->setVisible(!m_others.empty());
    if (choices.tabs != m_names) {
        while (m_kinds->count() > 0) {
            m_kinds->removeTab(m_kinds->count() - 1);
        }
        for (const std::string& name : choices.tabs) {
            m_kinds->addTab(artifactTitle(name));
        }
        m_names = std::move(choices.tabs);
    }
    const auto shown = std::find(m_names.begin(), m_names.end(), choices.shown);
    if (shown != m_names.end()) {
        m_kinds->setCurrentIndex(static_cast<int>(shown - m_names.begin()));
    }
    m_kinds->setVisible(m_kinds->count() > 0);
    m_following = false;
}

} // namespace aotscope::views
