#pragma once

#include "common/difference_style.h"
#include "common/latest_answer.h"
#include "common/theme.h"
#include "compare/aligned_rows.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace aotscope::views {

/// Both graphs side by side, one node per row. The rows of large graphs are worked out on another thread and
/// come later, with a reset.
class AlignedModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Left, Marker, Right, ColumnCount };

    explicit AlignedModel(const ThemeSource& theme, QObject* parent = nullptr);

    void setDiff(const session::DiffSnapshotPtr& diff);
    void setOnlyDifferences(bool only);
    [[nodiscard]] const AlignedRow& row(int index) const { return (*m_rows)[std::size_t(index)]; }
    /// The row of a node in the left or right graph; -1: none.
    [[nodiscard]] int rowOf(ir::NodeId node, bool left) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using RowsPtr = std::shared_ptr<const std::vector<AlignedRow>>;
    [[nodiscard]] static RowsPtr rowsOf(const session::DiffSnapshot& diff, bool onlyDifferences);
    void arrange();
    void show(RowsPtr rows);
    [[nodiscard]] QString lineText(const AlignedRow& row, bool left) const;

    const ThemeSource& m_theme;
    session::DiffSnapshotPtr m_diff;
    /// Never null.
    RowsPtr m_rows = std::make_shared<const std::vector<AlignedRow>>();
    LatestAnswer m_answer;
    bool m_onlyDifferences = false;
};

/// The list of differences.
class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kind, Left, Right, Details, ColumnCount };

    explicit DifferenceModel(const ThemeSource& theme, QObject* parent = nullptr);

    void setDiff(const session::DiffSnapshotPtr& diff);
    [[nodiscard]] const ir::NodeDifference& difference(int row) const {
        return m_diff->diff.differences[m_rows[std::size_t(row)]];
    }
    /// Sorts many rows in the background; the order then changes later.
    void sort(int column, Qt::SortOrder order) override;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using Rows = std::vector<std::size_t>;
    [[nodiscard]] static Rows rowsOf(const session::DiffSnapshot& diff, int column, Qt::SortOrder order);
    void arrange();

    const ThemeSource& m_theme;
    session::DiffSnapshotPtr m_diff;
    Rows m_rows;
    LatestAnswer m_answer;
    /// -1: not sorted, in graph order.
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// The unified text diff, one row per line.
class UnifiedModel : public QAbstractListModel {
    Q_OBJECT

public:
    explicit UnifiedModel(const ThemeSource& theme, QObject* parent = nullptr);

    void setDiff(const session::DiffSnapshotPtr& diff);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    const ThemeSource& m_theme;
    session::DiffSnapshotPtr m_diff;
    /// Offset of each line in the text, and the end of the text.
    std::vector<std::size_t> m_starts;
};

} // namespace aotscope::views
