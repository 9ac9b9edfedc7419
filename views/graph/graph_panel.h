#pragma once

#include "common/view_context.h"
#include "contract/partition_snapshot.h"
#include "contract/snapshots.h"
#include "graph/node_actions.h"

#include <QByteArray>
#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QSettings;

namespace aotscope::views {

struct PictureRequest;
struct ShownPartition;

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
    /// The partition that the shown graph belongs to; nothing: to none.
    void setPartition(std::optional<ShownPartition> shown);
    /// What the menus of nodes and bands can do.
    void setNodeActions(NodeActionsOf actions);
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
    /// A person wants the selected node saved or recomputed; nothing: removes the override.
    void choiceRequested(const std::string& node, std::optional<passes::Forced> choice);
    /// A person wants the selected node to be run again, or to pause there.
    void rerunRequested();
    void breakpointRequested(const std::string& node);
    void foundChanged();
    /// The panel shows another picture.
    void pictureChanged();

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::views
