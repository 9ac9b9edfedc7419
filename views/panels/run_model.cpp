#include "panels/run_model.h"

#include "common/plain_words.h"
#include "common/row_order.h"
#include "common/theme.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace aotscope::views {

namespace {

std::int64_t bytesOf(const session::NodeRun& node) {
    return std::accumulate(
        node.outputs.begin(), node.outputs.end(), std::int64_t{0},
        [](std::int64_t sum, const session::TensorSummary& tensor) { return sum + tensor.bytes; });
}

QString valueOf(const session::NodeRun& node) {
    if (node.outputs.empty()) {
        return text(node.scalar);
    }
    const session::TensorSummary& first = node.outputs.front();
    QStringList sizes;
    for (const std::int64_t size : first.shape) {
        sizes.append(QString::number(size));
    }
    const QString value =
        text(first.dtype) + QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
    return node.outputs.size() > 1 ? value + QStringLiteral(" +%1").arg(node.outputs.size() - 1) : value;
}

/// Contradictions to the log first, then other notes.
QString remarkOf(const session::NodeRun& node) {
    QStringList parts;
    if (!node.mismatch.empty()) {
        parts.append(QStringLiteral("✗ ") + text(node.mismatch));
    }
    if (!node.note.empty()) {
        parts.append(QStringLiteral("⚠ ") + text(node.note));
    }
    return parts.join(QStringLiteral("  "));
}

constexpr bool isRunNumber(int column) {
    return column == RunModel::Position || column == RunModel::Time ||
           (column >= RunModel::Bytes && column <= RunModel::NotFinite);
}

bool isSortedByWords(int column) {
    return column == RunModel::Node || column == RunModel::Op || column == RunModel::Value;
}

std::string sortWords(const session::RunSnapshot& run, const session::NodeRun& node, int column) {
    if (column == RunModel::Value) {
        return valueOf(node).toStdString();
    }
    if (!node.node.valid()) {
        return {};
    }
    const ir::Node& info = run.graph->graph->node(node.node);
    return column == RunModel::Node ? info.name : std::string(info.target);
}

double sortNumber(const session::NodeRun& node, std::size_t position, int column) {
    constexpr double least = std::numeric_limits<double>::lowest();
    const session::TensorSummary* first = node.outputs.empty() ? nullptr : &node.outputs.front();
    switch (column) {
    case RunModel::Time:
        return double(node.nanoseconds);
    case RunModel::Bytes:
        return double(bytesOf(node));
    case RunModel::Minimum:
        return first ? first->minimum.value_or(least) : least;
    case RunModel::Mean:
        return first ? first->mean.value_or(least) : least;
    case RunModel::Maximum:
        return first ? first->maximum.value_or(least) : least;
    case RunModel::NotFinite:
        return first ? double(first->nanCount + first->infCount) : least;
    case RunModel::Remark:
        return node.mismatch.empty() ? (node.note.empty() ? 0 : 1) : 2;
    default:
        return double(position);
    }
}

} // namespace

RunModel::RunModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void RunModel::setRun(const session::RunSnapshotPtr& run) {
    beginResetModel();
    m_answer.forget();
    m_run = run && run->graph && run->graph->graph ? run : nullptr;
    m_rows = m_run ? rowsOf(*m_run, Position, Qt::AscendingOrder) : Rows();
    std::int64_t longest = 0;
    std::int64_t largest = 0;
    if (m_run) {
        for (const session::NodeRun& node : m_run->nodes) {
            longest = std::max(longest, node.nanoseconds);
            largest = std::max(largest, bytesOf(node));
        }
    }
    m_timeUnit = timeUnit(longest);
    m_byteUnit = byteUnit(largest);
    endResetModel();
    if (m_sortColumn != Position || m_sortOrder != Qt::AscendingOrder) {
        arrange();
    }
}

void RunModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < 0 ? static_cast<int>(Position) : column;
    m_sortOrder = order;
    arrange();
}

RunModel::Rows RunModel::rowsOf(const session::RunSnapshot& run, int column, Qt::SortOrder order) {
    Rows rows;
    rows.shown.resize(run.nodes.size());
    std::iota(rows.shown.begin(), rows.shown.end(), std::size_t{0});
    if (isSortedByWords(column)) {
        rows.shown =
            orderedBy(rows.shown, order, [&](std::size_t i) { return sortWords(run, run.nodes[i], column); });
    } else if (column != Position || order != Qt::AscendingOrder) {
        rows.shown =
            orderedBy(rows.shown, order, [&](std::size_t i) { return sortNumber(run.nodes[i], i, column); });
    }
    rows.rowOfNode.assign(run.graph->graph->idBound(), -1);
    for (std::size_t row = 0; row < rows.shown.size(); ++row) {
        const ir::NodeId node = run.nodes[rows.shown[row]].node;
        if (node.valid() && node.index() < rows.rowOfNode.size()) {
            rows.rowOfNode[node.index()] = static_cast<int>(row);
        }
    }
    return rows;
}

void RunModel::arrange() {
    if (!m_run) {
        return;
    }
    m_answer.ask<Rows>(
        m_run->nodes.size(),
        [run = m_run, column = m_sortColumn, order = m_sortOrder] { return rowsOf(*run, column, order); },
        [this](const Rows& rows) {
            beginResetModel();
            m_rows = rows;
            endResetModel();
        });
}

ir::NodeId RunModel::nodeAt(int row) const {
    return row >= 0 && row < rowCount() ? m_run->nodes[m_rows.shown[static_cast<std::size_t>(row)]].node
                                        : ir::NodeId();
}

int RunModel::rowOf(ir::NodeId node) const {
    return node.valid() && node.index() < m_rows.rowOfNode.size() ? m_rows.rowOfNode[node.index()] : -1;
}

int RunModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.shown.size());
}

int RunModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunModel::textOf(const session::NodeRun& node, int column) const {
    const session::TensorSummary* first = node.outputs.empty() ? nullptr : &node.outputs.front();
    const auto statistic = [](const std::optional<double>& value) {
        return value ? formatNumber(*value) : QString();
    };
    switch (column) {
    case Node:
        return node.node.valid() ? text(m_run->graph->graph->node(node.node).name) : QString();
    case Op:
        return node.node.valid() ? text(m_run->graph->graph->node(node.node).target) : QString();
    case Time:
        return inUnit(double(node.nanoseconds), m_timeUnit, false);
    case Value:
        return valueOf(node);
    case Bytes:
        return first ? inUnit(double(bytesOf(node)), m_byteUnit, false) : QString();
    case Minimum:
        return first ? statistic(first->minimum) : QString();
    case Mean:
        return first ? statistic(first->mean) : QString();
    case Maximum:
        return first ? statistic(first->maximum) : QString();
    case NotFinite:
        return first && first->nanCount + first->infCount > 0
                   ? formatCount(static_cast<std::uint64_t>(first->nanCount + first->infCount))
                   : QString();
    case Remark:
        return remarkOf(node);
    default:
        return {};
    }
}

QVariant RunModel::data(const QModelIndex& index, int role) const {
    if (!m_run || !index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const std::size_t at = m_rows.shown[static_cast<std::size_t>(index.row())];
    const session::NodeRun& node = m_run->nodes[at];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Position ? QString::number(at) : textOf(node, index.column());
    case Qt::TextAlignmentRole:
        return cellAlignment(isRunNumber(index.column()));
    case Qt::FontRole:
        return m_font;
    case Qt::ForegroundRole:
        if (index.column() == Remark) {
            return node.mismatch.empty() ? m_theme->theme().warning : m_theme->theme().bad;
        }
        if (index.column() == NotFinite) {
            return m_theme->theme().bad;
        }
        return index.column() == Position || index.column() == Op ? QVariant(m_theme->theme().dimText)
                                                                  : QVariant();
    case Qt::ToolTipRole:
        if (index.column() == NotFinite && !node.outputs.empty()) {
            return tr("%1 NaN, %2 infinite").arg(node.outputs[0].nanCount).arg(node.outputs[0].infCount);
        }
        return index.column() == Remark ? QVariant(plainToolTip(remarkOf(node))) : QVariant();
    default:
        return {};
    }
}

QVariant RunModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    static constexpr const char* names[] = {"#",   "node", "op",  "time",     "value", "bytes",
                                            "min", "mean", "max", "NaN, inf", "remark"};
    if (role == Qt::DisplayRole) {
        const QString name = QString::fromLatin1(names[section]);
        if (section == Time && m_run) {
            return name + QStringLiteral(" ") + m_timeUnit.name;
        }
        return section == Bytes && m_run ? m_byteUnit.name : name;
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isRunNumber(section));
    }
    return {};
}

} // namespace aotscope::views
