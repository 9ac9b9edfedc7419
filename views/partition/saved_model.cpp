#include "partition/saved_model.h"

#include "common/plain_words.h"
#include "common/row_order.h"
#include "common/theme.h"
#include "explore/partition_csv.h"

#include <algorithm>

namespace aotscope::views {

namespace {

constexpr bool isNumber(int column) {
    return column == SavedModel::Bytes || column >= SavedModel::From;
}

double numberOf(const session::SavedTensor& row, int column) {
    switch (column) {
    case SavedModel::Bytes:
        return static_cast<double>(row.bytes);
    case SavedModel::From:
        return row.from;
    case SavedModel::Last:
        return row.last;
    default:
        return row.shareOfPeak;
    }
}

const std::string& wordsOf(const session::SavedTensor& row, int column) {
    switch (column) {
    case SavedModel::DType:
        return row.dtype;
    case SavedModel::Shape:
        return row.shape;
    case SavedModel::Reason:
        return row.reason;
    case SavedModel::Module:
        return row.module;
    case SavedModel::Source:
        return row.source;
    default:
        return row.name;
    }
}

} // namespace

SavedModel::SavedModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void SavedModel::setPartition(const session::PartitionSnapshotPtr& split) {
    beginResetModel();
    m_answer.forget();
    m_shown.clear();
    m_split = split;
    std::int64_t largest = 0;
    if (m_split) {
        for (const session::SavedTensor& row : m_split->saved) {
            largest = std::max(largest, row.bytes);
        }
    }
    m_byteUnit = byteUnit(largest);
    endResetModel();
    arrange();
}

void SavedModel::setFilter(const session::SavedFilter& filter) {
    m_filter = filter;
    arrange();
}

void SavedModel::setOnly(SpotlightPtr only) {
    if (m_only != only) {
        m_only = std::move(only);
        arrange();
    }
}

void SavedModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < 0 ? static_cast<int>(Bytes) : column;
    m_sortOrder = order;
    arrange();
}

void SavedModel::arrange() {
    if (!m_split) {
        return;
    }
    m_answer.ask<Rows>(
        m_split->saved.size(),
        [split = m_split, only = m_only, filter = m_filter, column = m_sortColumn, order = m_sortOrder] {
            const auto& rows = split->saved;
            Rows shown;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if ((!only || only->nodes.contains(rows[i].name)) && filter.matches(rows[i])) {
                    shown.push_back(i);
                }
            }
            return isNumber(column)
                       ? orderedBy(shown, order, [&](std::size_t i) { return numberOf(rows[i], column); })
                       : orderedBy(shown, order, [&](std::size_t i) { return wordsOf(rows[i], column); });
        },
        [this](const Rows& shown) {
            beginResetModel();
            m_shown = shown;
            endResetModel();
        });
}

const session::SavedTensor* SavedModel::tryRow(int row) const {
    return m_split && row >= 0 && row < rowCount() ? &m_split->saved[m_shown[static_cast<std::size_t>(row)]]
                                                   : nullptr;
}

int SavedModel::rowOf(const std::string& name) const {
    for (int row = 0; row < rowCount(); ++row) {
        if (tryRow(row)->name == name) {
            return row;
        }
    }
    return -1;
}

std::int64_t SavedModel::shownBytes() const {
    std::int64_t total = 0;
    for (int row = 0; row < rowCount(); ++row) {
        total += tryRow(row)->bytes;
    }
    return total;
}

double SavedModel::shownShare() const {
    double total = 0;
    for (int row = 0; row < rowCount(); ++row) {
        total += tryRow(row)->shareOfPeak;
    }
    return total;
}

QByteArray SavedModel::csv() const {
    std::vector<const session::SavedTensor*> rows;
    for (int i = 0; i < rowCount(); ++i) {
        rows.push_back(tryRow(i));
    }
    return QByteArray::fromStdString(session::savedCsv(rows));
}

int SavedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int SavedModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString SavedModel::textOf(const session::SavedTensor& row, int column) const {
    switch (column) {
    case Bytes:
        return inUnit(static_cast<double>(row.bytes), m_byteUnit, false);
    case From:
        return formatCount(row.from);
    case Last:
        return formatCount(row.last);
    case Share:
        return row.shareOfPeak > 0 ? QStringLiteral("%1 %").arg(row.shareOfPeak * 100, 0, 'f', 1) : QString();
    case Source:
        return fileNameOf(row.source);
    default:
        return text(wordsOf(row, column));
    }
}

QVariant SavedModel::data(const QModelIndex& index, int role) const {
    const session::SavedTensor* const row = index.isValid() ? tryRow(index.row()) : nullptr;
    if (row == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return textOf(*row, index.column());
    case Qt::TextAlignmentRole:
        return cellAlignment(isNumber(index.column()));
    case Qt::FontRole:
        return index.column() == Reason ? QVariant() : QVariant(m_font);
    case Qt::ForegroundRole:
        return index.column() == Name ? QVariant() : QVariant(m_theme->theme().dimText);
    case Qt::ToolTipRole:
        if (index.column() == Bytes) {
            return tr("%1 bytes").arg(formatCount(static_cast<std::uint64_t>(row->bytes)));
        }
        return isNumber(index.column()) ? QVariant()
                                        : QVariant(plainToolTip(text(wordsOf(*row, index.column()))));
    default:
        return {};
    }
}

QVariant SavedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    static constexpr const char* names[] = {"saved",  "bytes",  "dtype", "shape", "why",
                                            "module", "source", "from",  "to",    "at peak"};
    static constexpr const char* tips[] = {
        "Name in the joint graph",
        "Bytes of the value",
        "Element type",
        "Shape",
        "The rule that decided",
        "Module it belongs to",
        "Source line",
        "Alive from this position of the step: forward nodes, the loss, backward nodes",
        "Alive to this position",
        "Share of what is alive at the step's peak"};
    if (role == Qt::DisplayRole) {
        // Values in bytes need no unit in the header.
        return section == Bytes && m_byteUnit.divisor > 1 ? m_byteUnit.name
                                                          : QString::fromLatin1(names[section]);
    }
    if (role == Qt::ToolTipRole) {
        return QString::fromLatin1(tips[section]);
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isNumber(section));
    }
    return {};
}

} // namespace aotscope::views
