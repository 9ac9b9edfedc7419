#pragma once

#include "common/format.h"
#include "common/latest_answer.h"
#include "common/selection_hub.h"
#include "contract/partition_snapshot.h"
#include "explore/saved_filter.h"

#include <QAbstractTableModel>
#include <QByteArray>
#include <QFont>

#include <vector>

namespace aotscope::views {

class ThemeSource;

/// The saved values of a partition as rows that can be sorted and filtered.
class SavedModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Bytes, DType, Shape, Reason, Module, Source, From, Last, Share, ColumnCount };

    explicit SavedModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Null: no rows. Long lists appear later, after this and after the changes below.
    void setPartition(const session::PartitionSnapshotPtr& split);
    void setFilter(const session::SavedFilter& filter);
    /// Restricts the rows to these values, in addition to the filter; null: no restriction.
    void setOnly(SpotlightPtr only);
    [[nodiscard]] bool isLimited() const { return m_only != nullptr; }

    [[nodiscard]] const session::SavedTensor* tryRow(int row) const;
    /// -1: not among the shown rows.
    [[nodiscard]] int rowOf(const std::string& name) const;
    /// Sum over the shown rows.
    [[nodiscard]] std::int64_t shownBytes() const;
    /// Share of the peak that the shown rows have together, 0 to 1.
    [[nodiscard]] double shownShare() const;
    /// The shown rows as CSV (RFC 4180) with a header line. Sizes are in bytes.
    [[nodiscard]] QByteArray csv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    using Rows = std::vector<std::size_t>;
    void arrange();
    [[nodiscard]] QString textOf(const session::SavedTensor& row, int column) const;

    const ThemeSource* m_theme;
    session::PartitionSnapshotPtr m_split;
    session::SavedFilter m_filter;
    SpotlightPtr m_only;
    Rows m_shown;
    LatestAnswer m_answer;
    Unit m_byteUnit;
    QFont m_font;
    int m_sortColumn = Bytes;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace aotscope::views
