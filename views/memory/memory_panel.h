#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/partition_snapshot.h"
#include "memory/memory_order.h"

#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QTreeView;

namespace aotscope::views {

class EmptyPage;
class LiveSetModel;
class MemoryCanvas;

/// The Memory dock: what is alive during the partitioned training step as bands, other orders as curves over
/// them, and a table of what is alive at the ▲, in the picked range, or more than in another order. Selecting
/// a value selects its node. Moving the ▲ fades what is not alive there in the graph. After a measured run
/// its curve lies over the bands, and the axis can show measured time.
class MemoryPanel : public QWidget {
    Q_OBJECT

public:
    explicit MemoryPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] MemoryCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] LiveSetModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* table() const { return m_table; }
    [[nodiscard]] QComboBox* orderChoice() const { return m_order; }
    [[nodiscard]] QComboBox* roundingChoice() const { return m_rounding; }
    [[nodiscard]] QComboBox* tableChoice() const { return m_tableOf; }
    [[nodiscard]] QCheckBox* inputsChoice() const { return m_inputs; }
    [[nodiscard]] QCheckBox* dimChoice() const { return m_dim; }
    [[nodiscard]] QCheckBox* timeChoice() const { return m_byTime; }
    [[nodiscard]] QPushButton* measureButton() const { return m_measure; }
    /// Runs the halves of the shown order.
    void measure();
    [[nodiscard]] QString summary() const;

protected:
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeBar();
    QWidget* makeSide();
    void connectParts();
    void connectRuns();
    void showMeasured();
    /// Why the run cannot be compared with the prediction; nothing if it can.
    [[nodiscard]] QString incomparable() const;
    [[nodiscard]] QStringList measuredWords() const;
    [[nodiscard]] QString measuredDetails() const;
    void followPartition();
    void showNothing();
    void fillOrders();
    void makeReady();
    void showOrder(const session::PartitionSnapshotPtr& split, MemoryOrder::Kind kind,
                   const MemoryScenePtr& scene);
    void refreshTable();
    void refreshLegend();
    void refreshSummary();
    void refreshSpotlight();
    void followSelection();
    void select(const memory::LiveRange& range);
    void hover(const std::optional<quint32>& range);
    [[nodiscard]] const MemoryOrder* shown() const;
    [[nodiscard]] const MemoryOrder* tryOrder(int kind) const;
    [[nodiscard]] session::Selection selectionOf(const std::string& node) const;
    [[nodiscard]] QString describe(const memory::Band& band, std::uint32_t position) const;
    [[nodiscard]] static QString moduleOf(const session::GraphSnapshot& joint,
                                          const memory::LiveRange& range);

    ViewContext m_context;
    MemoryCanvas* m_canvas;
    LiveSetModel* m_model;
    QTreeView* m_table;
    QComboBox* m_order;
    QComboBox* m_rounding;
    QComboBox* m_donated;
    QComboBox* m_tableOf;
    QCheckBox* m_inputs;
    QCheckBox* m_dim;
    QCheckBox* m_byTime;
    QPushButton* m_measure;
    QLabel* m_summary;
    QLabel* m_tableTitle;
    QLabel* m_legend;
    EmptyPage* m_pages;
    session::PartitionSnapshotPtr m_split;
    MemoryOrder::Kind m_shownKind = MemoryOrder::Kind::Current;
    /// Wanted, but possibly still being prepared.
    session::PartitionSnapshotPtr m_wantedPartition;
    MemoryOrder::Kind m_wantedKind = MemoryOrder::Kind::Current;
    std::vector<MemoryOrder> m_orders;
    MemoryScenePtr m_scene;
    /// Recent runs, to be shown again when a person returns to their partition.
    std::vector<session::TrainingStepSnapshotPtr> m_runs;
    /// Whether the shown measurement is from a GPU.
    bool m_isMeasuredOnGpu = false;
    Request<session::TrainingStepSnapshotPtr> m_request;
    bool m_following = false;
    /// Whether the current spotlight was set by this panel.
    bool m_spotlighting = false;
};

} // namespace aotscope::views
