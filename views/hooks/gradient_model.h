#pragma once

#include "contract/hooks_snapshot.h"

#include <QAbstractTableModel>
#include <QFont>

#include <map>
#include <string>
#include <vector>

namespace aotscope::views {

/// Gradients with their errors, as rows that can be sorted.
class GradientModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Gradient, MaxError, MeanError, RelativeError, ColumnCount };

    explicit GradientModel(QObject* parent = nullptr);

    void setGradients(std::vector<session::GradientError> gradients);
    /// What they are called (hooks/gradient_names.h).
    void setNames(std::map<std::string, QString> names);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    void arrange();
    [[nodiscard]] QString nameOf(const session::GradientError& row) const;

    std::map<std::string, QString> m_names;
    std::vector<session::GradientError> m_rows;
    QFont m_font;
    int m_sortColumn = RelativeError;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace aotscope::views
