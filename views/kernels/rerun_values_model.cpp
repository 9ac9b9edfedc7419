#include "kernels/rerun_values_model.h"

#include "common/format.h"
#include "common/theme.h"
#include "kernels/rerun_words.h"

#include <algorithm>

namespace aotscope::views {

namespace {

bool isValueNumber(int column) {
    return column >= RerunValuesModel::Bytes && column <= RerunValuesModel::Maximum;
}

QString statisticText(const std::optional<double>& value) {
    return value ? formatNumber(*value) : QString();
}

bool isFar(const std::optional<session::ValueDifference>& difference) {
    return difference && (difference->max != 0 || !difference->incomparable.empty());
}

} // namespace

RerunValuesModel::RerunValuesModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void RerunValuesModel::setResult(const session::RerunResultPtr& result) {
    beginResetModel();
    m_result = result;
    endResetModel();
}

const session::RerunValue& RerunValuesModel::valueAt(int row) const {
    const auto at = static_cast<std::size_t>(row);
    const std::size_t inputs = m_result->inputs.size();
    return at < inputs ? m_result->inputs[at] : m_result->outputs[at - inputs];
}

std::string RerunValuesModel::nodeAt(int row) const {
    return row >= 0 && row < rowCount() ? valueAt(row).node : std::string();
}

int RerunValuesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_result
               ? 0
               : static_cast<int>(m_result->inputs.size() + m_result->outputs.size());
}

int RerunValuesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RerunValuesModel::roleOf(int row) const {
    if (static_cast<std::size_t>(row) >= m_result->inputs.size()) {
        return tr("out");
    }
    const bool isRestored =
        std::ranges::find(m_result->restored, valueAt(row).node) != m_result->restored.end();
    return isRestored ? tr("in, put back") : tr("in");
}

QString RerunValuesModel::textOf(int row, int column) const {
    const session::RerunValue& value = valueAt(row);
    switch (column) {
    case Role:
        return roleOf(row);
    case Node:
        return text(value.node) + (value.output > 0 ? QStringLiteral(" [%1]").arg(value.output) : QString());
    case Type:
        return typeText(value.summary);
    case Bytes:
        return formatBytes(value.summary.bytes);
    case Minimum:
        return statisticText(value.summary.minimum);
    case Mean:
        return statisticText(value.summary.mean);
    case Maximum:
        return statisticText(value.summary.maximum);
    case FromRun:
        return differenceText(value.fromRun);
    case FromBaseline:
        return differenceText(value.fromBaseline);
    default:
        return {};
    }
}

QVariant RerunValuesModel::data(const QModelIndex& index, int role) const {
    if (!m_result || !index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return textOf(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return cellAlignment(isValueNumber(index.column()));
    case Qt::FontRole:
        return m_font;
    case Qt::ForegroundRole: {
        const session::RerunValue& value = valueAt(index.row());
        if ((index.column() == FromRun && isFar(value.fromRun)) ||
            (index.column() == FromBaseline && isFar(value.fromBaseline))) {
            return m_theme->theme().warning;
        }
        return index.column() == Role ? QVariant(m_theme->theme().dimText) : QVariant();
    }
    default:
        return {};
    }
}

QVariant RerunValuesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isValueNumber(section));
    }
    static const QString names[] = {QString(),
                                    tr("node"),
                                    tr("type"),
                                    tr("bytes"),
                                    tr("min"),
                                    tr("mean"),
                                    tr("max"),
                                    tr("beside the run"),
                                    tr("beside the baseline")};
    return role == Qt::DisplayRole ? QVariant(names[section]) : QVariant();
}

} // namespace aotscope::views
