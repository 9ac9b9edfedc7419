#include "panels/run_model.h"

#include "common/plain_words.h"
#include "common/theme.h"

#include <algorithm>
#include <limits>
#include <numeric>

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

/// What the log contradicts first, then what else is to be known.
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

} // namespace

RunModel::RunModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void RunModel::setRun(const session::RunSnapshotPtr& run) {
    beginResetModel();
    m_run = run && run->graph && run->graph->graph ? run : nullptr;
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
    arrange();
    endResetModel();
}

void RunModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_sortColumn = column < 0 ? static_cast<int>(Position) : column;
    m_sortOrder = order;
    arrange();
    endResetModel();
}

double RunModel::keyOf(std::size_t index, int column) const {
    const session::NodeRun& node = m_run->nodes[index];
    constexpr double least = std::numeric_limits<double>::lowest();
    const session::TensorSummary* first = node.outputs.empty() ? nullptr : &node.outputs.front();
    switch (column) {
    case Time:
        return double(node.nanoseconds);
    case Bytes:
        return double(bytesOf(node));
    case Minimum:
        return first ? first->minimum.value_or(least) : least;
    case Mean:
        return first ? first->mean.value_or(least) : least;
    case Maximum:
        return first ? first->maximum.value_or(least) : least;
    case NotFinite:
        return first ? double(first->nanCount + first->infCount) : least;
    case Remark:
        return node.mismatch.empty() ? (node.note.empty() ? 0 : 1) : 2;
    default:
        return double(index);
    }
}

void RunModel::arrange() {
    m_shown.resize(m_run ? m_run->nodes.size() : 0);
    std::iota(m_shown.begin(), m_shown.end(), std::size_t{0});
    const bool byText = m_sortColumn == Node || m_sortColumn == Op || m_sortColumn == Value;
    std::vector<double> keys(byText ? 0 : m_shown.size());
    std::vector<QString> texts(byText ? m_shown.size() : 0);
    for (const std::size_t i : m_shown) {
        if (byText) {
            texts[i] = textOf(m_run->nodes[i], m_sortColumn);
        } else {
            keys[i] = keyOf(i, m_sortColumn);
        }
    }
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    std::stable_sort(m_shown.begin(), m_shown.end(), [&](std::size_t left, std::size_t right) {
        const std::size_t low = ascending ? left : right;
        const std::size_t high = ascending ? right : left;
        return byText ? texts[low] < texts[high] : keys[low] < keys[high];
    });
    m_rowOfNode.assign(m_run ? m_run->graph->graph->idBound() : 0, -1);
    for (std::size_t row = 0; row < m_shown.size(); ++row) {
        const ir::NodeId node = m_run->nodes[m_shown[row]].node;
        if (node.valid() && node.index() < m_rowOfNode.size()) {
            m_rowOfNode[node.index()] = static_cast<int>(row);
        }
    }
}

ir::NodeId RunModel::nodeAt(int row) const {
    return row >= 0 && row < rowCount() ? m_run->nodes[m_shown[static_cast<std::size_t>(row)]].node
                                        : ir::NodeId();
}

int RunModel::rowOf(ir::NodeId node) const {
    return node.valid() && node.index() < m_rowOfNode.size() ? m_rowOfNode[node.index()] : -1;
}

int RunModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
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
    const std::size_t at = m_shown[static_cast<std::size_t>(index.row())];
    const session::NodeRun& node = m_run->nodes[at];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Position ? QString::number(at) : textOf(node, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((isRunNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) |
                                Qt::AlignVCenter);
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
        return static_cast<int>((isRunNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

} // namespace aotscope::views
