#pragma once

#include "common/view_context.h"
#include "session/explore/partition_snapshot.h"
#include "session/snapshots.h"

#include <QByteArray>
#include <QImage>
#include <QWidget>

#include <memory>
#include <string>
#include <vector>

class QSettings;

namespace aotscope::views {

struct PictureRequest;

/// The Graph dock: the picture of the selected graph with its toolbar (grouping, colouring, search, export),
/// minimap and breadcrumb. Follows the selection hub; asks the engine for layouts. While another graph is on
/// its way the old one stays, dimmed.
class GraphPanel : public QWidget {
    Q_OBJECT

public:
    explicit GraphPanel(const ViewContext& context, QWidget* parent = nullptr);
    ~GraphPanel() override;

    /// What is shown; null: nothing.
    [[nodiscard]] session::LayoutSnapshotPtr shown() const;
    /// Run times colour the nodes when a run of the shown graph arrives.
    void setRun(const session::RunSnapshotPtr& run);
    /// Fates of nodes colour them; null: the graph shown is not of a partition.
    void setPartition(const session::PartitionSnapshotPtr& split);
    void focusSearch();
    void openAllGroups(bool open);
    /// Names of the nodes that the search finds, in program order.
    [[nodiscard]] std::vector<std::string> found() const;

    /// Nodes of the boxes that are picked (a rectangle by Shift+drag, a group by its title), else of the
    /// closed group that is current, in program order.
    [[nodiscard]] std::vector<ir::NodeId> picked() const;

    /// Exports of the whole view, or of the selected nodes and their neighbours when `selectionOnly`.
    /// What an export paints; large pictures are painted on another thread.
    [[nodiscard]] PictureRequest picture(bool selectionOnly) const;

    /// How large graphs were drawn, and which part of them: from one window to the next.
    void rememberViews(QSettings& settings) const;
    void restoreViews(const QSettings& settings);

Q_SIGNALS:
    /// A person asks for the selected node's line in the Text panel.
    void showTextRequested();
    /// A person asks why the selected node is saved or not.
    void whyRequested();
    void foundChanged();
    /// Another picture is in the panel.
    void pictureChanged();

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::views
