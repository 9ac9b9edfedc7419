#pragma once

#include "session/explore/hooks_snapshot.h"

#include <QAbstractTableModel>
#include <QFont>

#include <vector>

namespace aotscope::views {

/// Gradients with their errors, as rows that can be sorted.
class GradientModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Gradient, MaxError, MeanError, RelativeError, ColumnCount };

    explicit GradientModel(QObject* parent = nullptr);

    void setGradients(std::vector<session::GradientError> gradients);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void arrange();

    std::vector<session::GradientError> m_rows;
    QFont m_font;
    int m_sortColumn = RelativeError;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace aotscope::views
