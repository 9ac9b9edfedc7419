#pragma once

#include "common/format.h"
#include "common/latest_answer.h"
#include "contract/snapshots.h"

#include <QAbstractTableModel>
#include <QFont>

#include <vector>

namespace aotscope::views {

class ThemeSource;

/// A run as a table, one row per node. For a node that returns several tensors, the first one and how many
/// there are besides. Long tables are sorted on another thread.
class RunModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Position,
        Node,
        Op,
        Time,
        Value,
        Bytes,
        Minimum,
        Mean,
        Maximum,
        NotFinite,
        Remark,
        ColumnCount
    };

    explicit RunModel(const ThemeSource* theme, QObject* parent = nullptr);

    void setRun(const session::RunSnapshotPtr& run);
    [[nodiscard]] const session::RunSnapshotPtr& run() const { return m_run; }
    [[nodiscard]] ir::NodeId nodeAt(int row) const;
    [[nodiscard]] int rowOf(ir::NodeId node) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    /// The node of each row.
    struct Rows {
        std::vector<std::size_t> shown;
        std::vector<int> rowOfNode;
    };
    [[nodiscard]] QString textOf(const session::NodeRun& node, int column) const;
    [[nodiscard]] static Rows rowsOf(const session::RunSnapshot& run, int column, Qt::SortOrder order);
    void arrange();

    const ThemeSource* m_theme;
    session::RunSnapshotPtr m_run;
    Rows m_rows;
    LatestAnswer m_answer;
    Unit m_timeUnit;
    Unit m_byteUnit;
    QFont m_font;
    int m_sortColumn = Position;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace aotscope::views
