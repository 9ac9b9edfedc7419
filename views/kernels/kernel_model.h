#pragma once

#include "common/format.h"
#include "contract/kernel_check.h"
#include "runs/kernel_rows.h"

#include <QAbstractItemModel>
#include <QFont>

#include <map>
#include <vector>

namespace aotscope::views {

class ThemeSource;

/// What a graph launches, one row per node, or per operator or fused kernel with its nodes below.
class KernelModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Position, Name, Op, Time, Share, Calls, Rerun, ColumnCount };

    explicit KernelModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Both may be null.
    void setGraph(const session::GraphSnapshotPtr& graph, const session::RunSnapshotPtr& run);
    void setGrouping(session::KernelGrouping grouping);
    /// The rows are fused kernels, and the nodes that none computes; null: they are as the grouping says.
    void setPlan(const session::KernelPlanSnapshotPtr& plan);
    /// Shows only rows whose name or operator has these letters.
    void setFilter(const QString& words);
    /// The median of the last rerun of each node that was rerun alone, in nanoseconds.
    void setReruns(std::map<std::string, double> medians);

    [[nodiscard]] const session::GraphSnapshotPtr& graph() const { return m_graph; }
    /// The nodes of a row; empty for an invalid index.
    [[nodiscard]] std::vector<ir::NodeId> nodesAt(const QModelIndex& index) const;
    /// The fused kernel of a row; nothing for other rows.
    [[nodiscard]] std::optional<kernels::FusedKernel> kernelAt(const QModelIndex& index) const;
    /// The row of the fused kernel that computes the node, else of the node alone, on either level; invalid
    /// if it is not shown.
    [[nodiscard]] QModelIndex indexOf(ir::NodeId node) const;
    /// Rows on the first level, of those that the filter leaves, and of all.
    [[nodiscard]] std::size_t shownRows() const { return m_shown.size(); }
    [[nodiscard]] std::size_t allRows() const { return m_rows.size(); }

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    [[nodiscard]] const session::KernelRow* rowAt(const QModelIndex& index) const;
    [[nodiscard]] QString textOf(const session::KernelRow& row, int column) const;
    [[nodiscard]] std::optional<double> rerunOf(const session::KernelRow& row) const;
    [[nodiscard]] bool matches(const session::KernelRow& row) const;
    void rebuild();
    void arrange();

    const ThemeSource* m_theme;
    session::GraphSnapshotPtr m_graph;
    session::RunSnapshotPtr m_run;
    session::KernelGrouping m_grouping = session::KernelGrouping::Nodes;
    session::KernelPlanSnapshotPtr m_plan;
    QString m_filter;
    std::map<std::string, double> m_reruns;
    std::vector<session::KernelRow> m_rows;
    /// Indexes of rows, in the order in which they are shown.
    std::vector<std::size_t> m_shown;
    /// What all rows took, for the shares.
    std::int64_t m_nanoseconds = 0;
    Unit m_timeUnit;
    QFont m_font;
    int m_sortColumn = Position;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace aotscope::views
