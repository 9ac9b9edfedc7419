#include "graph/graph_menu.h"

#include "common/format.h"
#include "common/selection_hub.h"
#include "graph/picture_saver.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace aotscope::views {

GraphMenu::GraphMenu(GraphCanvas* canvas, SelectionHub* hub, PictureSaver* saver, QWidget* panel,
                     QObject* parent)
    : QObject(parent), m_canvas(canvas), m_hub(hub), m_saver(saver), m_panel(panel) {}

void GraphMenu::popUp(BoxId box, GroupId group, const QPoint& global, bool hasPartition) {
    if (!m_canvas->scene()) {
        return;
    }
    auto* menu = new QMenu(m_panel);
    menu->setObjectName(QStringLiteral("graphMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
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
    menu.addAction(tr("Copy name"), this, [name] { QGuiApplication::clipboard()->setText(name); });
    menu.addAction(tr("Copy call text"), this, [graph, node] {
        QGuiApplication::clipboard()->setText(text(ir::callText(*graph->graph, node)));
    });
    menu.addAction(tr("Show in Text"), this, [this, box] { Q_EMIT textRequested(box); });
    QAction* why = menu.addAction(tr("Why saved?") + QStringLiteral("\tCtrl+Shift+W"), this,
                                  [this, box] { Q_EMIT whyRequested(box); });
    why->setEnabled(hasPartition);
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
        if (found.op != ir::Opcode::GetAttr || !graph.trySubgraph(found.target)) {
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
