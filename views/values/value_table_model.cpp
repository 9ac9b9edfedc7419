#include "values/value_table_model.h"

#include "common/format.h"
#include "common/theme.h"

namespace aotscope::views {

void ValueTableModel::setValue(const session::ValueSnapshotPtr& value) {
    beginResetModel();
    m_value = value;
    endResetModel();
}

int ValueTableModel::rowCount(const QModelIndex& parent) const {
    return m_value && !parent.isValid() ? static_cast<int>(m_value->table.rows) : 0;
}

int ValueTableModel::columnCount(const QModelIndex& parent) const {
    return m_value && !parent.isValid() ? static_cast<int>(m_value->table.columns) : 0;
}

QVariant ValueTableModel::data(const QModelIndex& index, int role) const {
    const session::ValueTable& table = m_value->table;
    switch (role) {
    case Qt::DisplayRole:
        return text(table.cells[static_cast<std::size_t>(index.row()) * table.columns +
                                static_cast<std::size_t>(index.column())]);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole:
        return codeFont();
    default:
        return {};
    }
}

QVariant ValueTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || !m_value) {
        return {};
    }
    const session::ValueTable& table = m_value->table;
    return QString::number(section + (orientation == Qt::Horizontal ? table.firstColumn : table.firstRow));
}

} // namespace aotscope::views
