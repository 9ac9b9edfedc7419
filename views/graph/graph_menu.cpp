#include "graph/graph_menu.h"

#include "common/format.h"
#include "common/selection_hub.h"
#include "graph/picture_saver.h"
#include "ir/bodies.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace aotscope::views {

GraphMenu::GraphMenu(GraphCanvas* canvas, SelectionHub* hub, PictureSaver* saver, QWidget* panel,
                     QObject* parent)
    : QObject(parent), m_canvas(canvas), m_hub(hub), m_saver(saver), m_panel(panel) {}

QMenu* GraphMenu::makeMenu() {
    auto* menu = new QMenu(m_panel);
    menu->setObjectName(QStringLiteral("graphMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    m_open = menu;
    return menu;
}

void GraphMenu::close() {
    if (m_open) {
        m_open->close();
    }
}

void GraphMenu::popUpBand(const std::vector<ir::NodeId>& saved, const QPoint& global, bool hasPartition) {
    if (!m_canvas->scene() || saved.empty()) {
        return;
    }
    const ir::Graph& graph = m_canvas->scene()->graph();
    const auto nameOf = [&](ir::NodeId node) { return text(graph.node(node).name); };
    QMenu* menu = makeMenu();
    menu->addSection(nameOf(saved.front()));
    addWork(*menu, saved.front(), hasPartition);
    menu->addSeparator();
    menu->addAction(tr("Copy name"), this,
                    [name = nameOf(saved.front())] { QGuiApplication::clipboard()->setText(name); });
    menu->addAction(tr("Show in Text"), this, [this, node = saved.front()] { Q_EMIT textRequested(node); });
    if (saved.size() > 1) {
        constexpr std::size_t most = 40;
        QMenu* others = menu->addMenu(tr("Also saved here"));
        for (std::size_t i = 1; i < std::min(saved.size(), most); ++i) {
            others->addAction(nameOf(saved[i]), this,
                              [this, node = saved[i]] { Q_EMIT selectRequested(node); });
        }
    }
    menu->popup(global);
}

void GraphMenu::addWork(QMenu& menu, ir::NodeId node, bool hasPartition) {
    const NodeActions can = m_actions ? m_actions(m_canvas->scene()->graph().node(node).name) : NodeActions();
    const QString whyNot = hasPartition
                               ? tr("Only a value that the forward computes can be saved or recomputed")
                               : tr("This graph has not been split into forward and backward here");
    menu.addAction(tr("Why saved?") + QStringLiteral("\tCtrl+Shift+W"), this,
                   [this, node] { Q_EMIT whyRequested(node); })
        ->setEnabled(hasPartition);
    const auto addChoice = [&](const QString& title, passes::Forced choice, const QString& tip) {
        QAction* action = menu.addAction(title);
        action->setCheckable(true);
        action->setChecked(can.choice == choice);
        action->setEnabled(can.canChoose);
        action->setToolTip(can.canChoose ? tip : whyNot);
        // Chosen again: taken back.
        const auto wanted = can.choice == choice ? std::nullopt : std::optional(choice);
        connect(action, &QAction::triggered, this,
                [this, node, wanted] { Q_EMIT choiceRequested(node, wanted); });
    };
    addChoice(tr("Save"), passes::Forced::Save, tr("Force it to be saved for the backward, and split again"));
    addChoice(tr("Recompute"), passes::Forced::Recompute,
              tr("Force it to be recomputed in the backward, and split again"));
    menu.addAction(tr("Rerun"), this, [this, node] { Q_EMIT rerunRequested(node); })
        ->setEnabled(can.canRerun);
    QAction* pause =
        menu.addAction(tr("Breakpoint"), this, [this, node] { Q_EMIT breakpointRequested(node); });
    pause->setCheckable(true);
    pause->setChecked(can.hasBreakpoint);
    pause->setEnabled(can.canBreak);
    pause->setToolTip(tr("Pause re-traces and calls before this node"));
}

void GraphMenu::popUp(BoxId box, GroupId group, const QPoint& global, bool hasPartition) {
    if (!m_canvas->scene()) {
        return;
    }
    QMenu* menu = makeMenu();
    if (box.valid() && m_canvas->scene()->box(box).node.valid()) {
        addNodeActions(*menu, box, hasPartition);
        menu->addSeparator();
    }
    if (group.valid()) {
        const layout::Group& found = m_canvas->scene()->layout().groups[group.index()];
        const QString title = text(found.title);
        menu->addAction(found.open ? tr("Close group %1").arg(title) : tr("Open group %1").arg(title), this,
                        [this, group] { Q_EMIT toggleRequested(group); });
    }
    addGroupActions(*menu);
    menu->addSeparator();
    m_saver->addActions(*menu);
    menu->popup(global);
}

void GraphMenu::addGroupActions(QMenu& menu) {
    menu.addAction(tr("Open all groups") + QStringLiteral("\tCtrl+Alt+O"), this,
                   [this] { Q_EMIT allGroupsRequested(true); });
    menu.addAction(tr("Close all groups") + QStringLiteral("\tCtrl+Alt+C"), this,
                   [this] { Q_EMIT allGroupsRequested(false); });
}

void GraphMenu::addNodeActions(QMenu& menu, BoxId box, bool hasPartition) {
    const ir::NodeId node = m_canvas->scene()->box(box).node;
    const session::GraphSnapshotPtr graph = m_canvas->scene()->snapshot()->graph;
    const QString name = text(graph->graph->node(node).name);
    addWork(menu, node, hasPartition);
    menu.addSeparator();
    menu.addAction(tr("Copy name"), this, [name] { QGuiApplication::clipboard()->setText(name); });
    menu.addAction(tr("Copy call text"), this, [graph, node] {
        QGuiApplication::clipboard()->setText(text(ir::callText(*graph->graph, node)));
    });
    menu.addAction(tr("Show in Text"), this, [this, node] { Q_EMIT textRequested(node); });
    menu.addAction(tr("Centre"), this, [this, box] { m_canvas->centerOn(box); });
    addSubgraphActions(menu, node);
}

/// Adds the nested graphs that a node uses: a get_attr names one itself, a higher-order operator through its
/// inputs.
void GraphMenu::addSubgraphActions(QMenu& menu, ir::NodeId node) {
    const session::GraphSnapshot& shown = *m_canvas->scene()->snapshot()->graph;
    const ir::Graph& graph = *shown.graph;
    std::vector<ir::NodeId> candidates{node};
    const auto inputs = graph.inputs(node);
    candidates.insert(candidates.end(), inputs.begin(), inputs.end());
    for (const ir::NodeId candidate : candidates) {
        const ir::Node& found = graph.node(candidate);
        if (!ir::bodyOf(graph, found)) {
            continue;
        }
        session::ArtifactReference nested = shown.reference;
        nested.subgraph.push_back(found.target);
        menu.addAction(tr("Open subgraph %1").arg(text(found.target)), this, [this, nested] {
            m_hub->select({nested, {}}, nullptr);
        });
    }
}

} // namespace aotscope::views
