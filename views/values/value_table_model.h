#pragma once

#include "runs/value_snapshot.h"

#include <QAbstractTableModel>

namespace aotscope::views {

/// The elements in a value's window; the headers are their indices in the tensor.
class ValueTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setValue(const session::ValueSnapshotPtr& value);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::ValueSnapshotPtr m_value;
};

} // namespace aotscope::views
