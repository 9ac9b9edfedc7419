#include "compare/compare_models.h"

#include "common/background.h"
#include "common/format.h"
#include "common/plain_words.h"
#include "common/row_order.h"
#include "graph/coloring.h"
#include "graph/graph_facts.h"

#include <QColor>

#include <algorithm>
#include <numeric>
#include <utility>

namespace aotscope::views {
namespace {

constexpr double tintShare = 0.16;

QString nameOf(const session::GraphSnapshotPtr& graph, ir::NodeId node) {
    return node.valid() ? text(graph->graph->node(node).name) : QString();
}

QString detailsOf(const ir::NodeDifference& difference, const QString& separator) {
    QStringList details;
    for (const std::string& detail : difference.details) {
        details << text(detail);
    }
    return details.join(separator);
}

} // namespace

AlignedModel::AlignedModel(const ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &ThemeSource::changed, this, [this] {
        if (rowCount() > 0) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        }
    });
}

void AlignedModel::setDiff(const session::DiffSnapshotPtr& diff) {
    m_answer.forget();
    beginResetModel();
    m_diff = diff;
    RowsPtr old = std::exchange(m_rows, std::make_shared<const std::vector<AlignedRow>>());
    endResetModel();
    startInBackground([old = std::move(old)] {});
    arrange();
}

void AlignedModel::setOnlyDifferences(bool only) {
    m_onlyDifferences = only;
    arrange();
}

AlignedModel::RowsPtr AlignedModel::rowsOf(const session::DiffSnapshot& diff, bool onlyDifferences) {
    std::vector<AlignedRow> rows = alignRows(diff);
    if (onlyDifferences) {
        std::erase_if(rows, [](const AlignedRow& row) { return !row.difference; });
    }
    return std::make_shared<const std::vector<AlignedRow>>(std::move(rows));
}

void AlignedModel::arrange() {
    if (!m_diff) {
        return;
    }
    m_answer.ask<RowsPtr>(
        m_diff->left->graph->size() + m_diff->right->graph->size(),
        [diff = m_diff, only = m_onlyDifferences] { return rowsOf(*diff, only); },
        [this](const RowsPtr& rows) { show(rows); });
}

void AlignedModel::show(RowsPtr rows) {
    beginResetModel();
    std::swap(m_rows, rows);
    endResetModel();
    // Destroying many rows takes time.
    startInBackground([old = std::move(rows)] {});
}

int AlignedModel::rowOf(ir::NodeId node, bool left) const {
    if (!node.valid()) {
        return -1;
    }
    const auto found = std::ranges::find(*m_rows, node, left ? &AlignedRow::left : &AlignedRow::right);
    return found == m_rows->end() ? -1 : int(found - m_rows->begin());
}

int AlignedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows->size());
}

int AlignedModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

QString AlignedModel::lineText(const AlignedRow& row, bool left) const {
    const session::GraphSnapshotPtr& graph = left ? m_diff->left : m_diff->right;
    const ir::NodeId id = left ? row.left : row.right;
    if (!id.valid()) {
        return {};
    }
    const ir::Node& node = graph->graph->node(id);
    const QString value = shortValue(node.value);
    const QString call =
        node.op == ir::Opcode::Placeholder ? QString() : text(ir::callText(*graph->graph, id));
    QString line = text(node.name);
    if (!value.isEmpty()) {
        line += QStringLiteral(": ") + value;
    }
    return call.isEmpty() ? line : line + QStringLiteral(" = ") + call;
}

QVariant AlignedModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const AlignedRow& row = this->row(index.row());
    const ir::NodeDifference* difference =
        row.difference ? &m_diff->diff.differences[*row.difference] : nullptr;
    const Theme& theme = m_theme.theme();
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Marker) {
            return difference == nullptr ? QString() : differenceGlyph(difference->kind);
        }
        return lineText(row, index.column() == Left);
    case Qt::ToolTipRole:
        if (difference != nullptr) {
            QString tip = differenceWord(difference->kind);
            for (const std::string& detail : difference->details) {
                tip += QLatin1Char('\n') + text(detail);
            }
            return plainToolTip(tip);
        }
        return index.column() == Marker ? QString() : lineText(row, index.column() == Left);
    case Qt::TextAlignmentRole:
        return index.column() == Marker ? int(Qt::AlignCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::FontRole:
        return codeFont();
    case Qt::BackgroundRole:
        if (difference != nullptr) {
            return mix(theme.panel, differenceColor(difference->kind, theme), tintShare);
        }
        return {};
    case Qt::ForegroundRole:
        if (index.column() == Marker && difference != nullptr) {
            return differenceColor(difference->kind, theme);
        }
        return {};
    case Qt::AccessibleTextRole:
        return difference == nullptr ? data(index, Qt::DisplayRole)
                                     : QVariant(differenceWord(difference->kind) + QStringLiteral(": ") +
                                                data(index, Qt::DisplayRole).toString());
    default:
        return {};
    }
}

QVariant AlignedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    if (section == Marker) {
        return QString();
    }
    if (!m_diff) {
        return section == Left ? tr("left") : tr("right");
    }
    return referenceText((section == Left ? m_diff->left : m_diff->right)->reference);
}

DifferenceModel::DifferenceModel(const ThemeSource& theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &ThemeSource::changed, this, [this] {
        if (rowCount() > 0) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        }
    });
}

void DifferenceModel::setDiff(const session::DiffSnapshotPtr& diff) {
    beginResetModel();
    m_answer.forget();
    m_diff = diff;
    m_rows = diff ? rowsOf(*diff, -1, Qt::AscendingOrder) : Rows();
    endResetModel();
    arrange();
}

void DifferenceModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column;
    m_sortOrder = order;
    arrange();
}

DifferenceModel::Rows DifferenceModel::rowsOf(const session::DiffSnapshot& diff, int column,
                                              Qt::SortOrder order) {
    Rows rows(diff.diff.differences.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return column < 0 ? rows : orderedBy(rows, order, [&](std::size_t row) {
        const ir::NodeDifference& each = diff.diff.differences[row];
        switch (column) {
        case Kind:
            return differenceWord(each.kind);
        case Left:
            return nameOf(diff.left, each.left);
        case Right:
            return nameOf(diff.right, each.right);
        default:
            return detailsOf(each, QStringLiteral("; "));
        }
    });
}

void DifferenceModel::arrange() {
    if (!m_diff) {
        return;
    }
    m_answer.ask<Rows>(
        m_diff->diff.differences.size(),
        [diff = m_diff, column = m_sortColumn, order = m_sortOrder] { return rowsOf(*diff, column, order); },
        [this](const Rows& rows) {
            beginResetModel();
            m_rows = rows;
            endResetModel();
        });
}

int DifferenceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int DifferenceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const ir::NodeDifference& each = difference(index.row());
    if (role == Qt::ForegroundRole && index.column() == Kind) {
        return differenceColor(each.kind, m_theme.theme());
    }
    if (role == Qt::FontRole && index.column() != Kind) {
        return codeFont();
    }
    if (role != Qt::DisplayRole && !(role == Qt::ToolTipRole && index.column() == Details)) {
        return {};
    }
    switch (index.column()) {
    case Kind:
        return QString(differenceGlyph(each.kind) + QLatin1Char(' ') + differenceWord(each.kind));
    case Left:
        return nameOf(m_diff->left, each.left);
    case Right:
        return nameOf(m_diff->right, each.right);
    default:
        return role == Qt::ToolTipRole ? plainToolTip(detailsOf(each, QStringLiteral("\n")))
                                       : detailsOf(each, QStringLiteral("; "));
    }
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Kind:
        return tr("difference");
    case Left:
        return tr("left node");
    case Right:
        return tr("right node");
    default:
        return tr("what changed");
    }
}

UnifiedModel::UnifiedModel(const ThemeSource& theme, QObject* parent)
    : QAbstractListModel(parent), m_theme(theme) {
    connect(&theme, &ThemeSource::changed, this, [this] {
        if (rowCount({}) > 0) {
            Q_EMIT dataChanged(index(0), index(rowCount({}) - 1));
        }
    });
}

void UnifiedModel::setDiff(const session::DiffSnapshotPtr& diff) {
    beginResetModel();
    m_diff = diff;
    m_starts.clear();
    if (m_diff && !m_diff->unifiedText.empty()) {
        const std::string& whole = m_diff->unifiedText;
        m_starts.push_back(0);
        for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
            m_starts.push_back(at + 1);
        }
        if (m_starts.back() != whole.size()) {
            m_starts.push_back(whole.size() + 1);
        }
    }
    endResetModel();
}

int UnifiedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || m_starts.empty() ? 0 : int(m_starts.size()) - 1;
}

QVariant UnifiedModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const std::size_t row = std::size_t(index.row());
    const std::string_view line =
        std::string_view(m_diff->unifiedText).substr(m_starts[row], m_starts[row + 1] - m_starts[row] - 1);
    const Theme& theme = m_theme.theme();
    const bool header = line.starts_with("+++") || line.starts_with("---");
    const bool added = !header && line.starts_with('+');
    const bool removed = !header && line.starts_with('-');
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromUtf8(line.data(), qsizetype(line.size()));
    case Qt::FontRole:
        return codeFont();
    case Qt::BackgroundRole:
        if (added || removed) {
            return mix(theme.panel, added ? theme.good : theme.bad, tintShare);
        }
        return {};
    case Qt::ForegroundRole:
        if (line.starts_with("@@")) {
            return theme.accent;
        }
        return header ? theme.dimText : theme.text;
    default:
        return {};
    }
}

} // namespace aotscope::views
