#pragma once

#include "graph/graph_canvas.h"

#include <QObject>
#include <QPoint>

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

    /// `hasPartition`: whether the graph belongs to a training step.
    void popUp(BoxId box, GroupId group, const QPoint& global, bool hasPartition);
    void addGroupActions(QMenu& menu);

Q_SIGNALS:
    void textRequested(BoxId box);
    void whyRequested(BoxId box);
    void toggleRequested(GroupId group);
    void allGroupsRequested(bool open);

private:
    void addNodeActions(QMenu& menu, BoxId box, bool hasPartition);
    void addSubgraphActions(QMenu& menu, ir::NodeId node);

    GraphCanvas* m_canvas;
    SelectionHub* m_hub;
    PictureSaver* m_saver;
    QWidget* m_panel;
};

} // namespace aotscope::views
