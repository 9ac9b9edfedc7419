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
/// minimap and breadcrumb. Follows the selection and requests layouts from the engine. While another graph is
/// on its way the old one stays, dimmed.
class GraphPanel : public QWidget {
    Q_OBJECT

public:
    explicit GraphPanel(const ViewContext& context, QWidget* parent = nullptr);
    ~GraphPanel() override;

    /// Null: nothing is shown.
    [[nodiscard]] session::LayoutSnapshotPtr shown() const;
    /// A run of the shown graph; its times can colour the nodes.
    void setRun(const session::RunSnapshotPtr& run);
    /// A partition; the nodes' fates can colour them. Null: the shown graph belongs to no partition.
    void setPartition(const session::PartitionSnapshotPtr& split);
    void focusSearch();
    void openAllGroups(bool open);
    /// Names of the nodes that match the search, in program order.
    [[nodiscard]] std::vector<std::string> found() const;

    /// Nodes of the picked boxes (a rectangle with Shift+drag, a group by its title), else of the current
    /// closed group, in program order.
    [[nodiscard]] std::vector<ir::NodeId> picked() const;

    /// The picture to export: the whole graph, or with `selectionOnly` the selected nodes and their
    /// neighbours.
    [[nodiscard]] PictureRequest picture(bool selectionOnly) const;

    /// Saves zoom and position of recently shown graphs for the next window.
    void rememberViews(QSettings& settings) const;
    void restoreViews(const QSettings& settings);

Q_SIGNALS:
    /// A person wants to see the selected node's line in the Text panel.
    void showTextRequested();
    /// A person wants to know why the selected node is saved or not.
    void whyRequested();
    void foundChanged();
    /// The panel shows another picture.
    void pictureChanged();

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::views
