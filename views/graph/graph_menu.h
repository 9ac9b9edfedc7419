#pragma once

#include "graph/graph_canvas.h"
#include "graph/node_actions.h"

#include <QObject>
#include <QPoint>
#include <QPointer>

#include <utility>
#include <vector>

class QMenu;

namespace aotscope::views {

class PictureSaver;
class SelectionHub;

/// The context menu of the picture.
class GraphMenu : public QObject {
    Q_OBJECT

public:
    /// `panel` owns the menus.
    GraphMenu(GraphCanvas* canvas, SelectionHub* hub, PictureSaver* saver, QWidget* panel,
              QObject* parent = nullptr);

    /// What can be done with nodes; empty: nothing but looking at them.
    void setActions(NodeActionsOf actions) { m_actions = std::move(actions); }
    /// `hasPartition`: whether the graph belongs to a training step.
    void popUp(BoxId box, GroupId group, const QPoint& global, bool hasPartition);
    /// The menu of a band that carries these values; the first is the one that was picked.
    void popUpBand(const std::vector<ir::NodeId>& saved, const QPoint& global, bool hasPartition);
    void addGroupActions(QMenu& menu);
    /// Its nodes are those of the picture that is shown: another one closes it.
    void close();

Q_SIGNALS:
    void textRequested(ir::NodeId node);
    void whyRequested(ir::NodeId node);
    void selectRequested(ir::NodeId node);
    /// Nothing: take the choice back.
    void choiceRequested(ir::NodeId node, std::optional<passes::Forced> choice);
    void rerunRequested(ir::NodeId node);
    void breakpointRequested(ir::NodeId node);
    void toggleRequested(GroupId group);
    void allGroupsRequested(bool open);

private:
    QMenu* makeMenu();
    void addNodeActions(QMenu& menu, BoxId box, bool hasPartition);
    /// Why, Save, Recompute, Rerun, Breakpoint.
    void addWork(QMenu& menu, ir::NodeId node, bool hasPartition);
    void addSubgraphActions(QMenu& menu, ir::NodeId node);

    GraphCanvas* m_canvas;
    SelectionHub* m_hub;
    PictureSaver* m_saver;
    QWidget* m_panel;
    NodeActionsOf m_actions;
    QPointer<QMenu> m_open;
};

} // namespace aotscope::views
