#include "memory/live_set_model.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/row_order.h"
#include "memory/peak_difference.h"

#include <algorithm>
#include <cstdlib>

namespace aotscope::views {

namespace {

constexpr bool isBytes(int column) {
    return column == LiveSetModel::Bytes || column == LiveSetModel::Other ||
           column == LiveSetModel::Difference;
}

} // namespace

LiveSetModel::LiveSetModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void LiveSetModel::clear() {
    take(nullptr, nullptr, {}, {});
}

void LiveSetModel::showAlive(const MemoryScenePtr& scene, std::uint32_t first, std::uint32_t last,
                             Words words) {
    std::vector<Row> rows;
    for (const memory::LiveRange& range : scene->profile().ranges) {
        if (range.from <= last && first <= range.last) {
            rows.push_back({&range, nullptr});
        }
    }
    std::ranges::stable_sort(rows, std::greater<>(), &Row::hereBytes);
    take(scene, nullptr, std::move(rows), std::move(words));
}

void LiveSetModel::showDifference(const MemoryScenePtr& scene, const ProfilePtr& other, Words words) {
    std::vector<Row> rows;
    for (const memory::PeakDifference& entry : memory::compareAtPeak(*other, scene->profile())) {
        rows.push_back({entry.right, entry.left});
    }
    take(scene, other, std::move(rows), std::move(words));
}

void LiveSetModel::take(const MemoryScenePtr& scene, ProfilePtr other, std::vector<Row> rows, Words words) {
    beginResetModel();
    m_scene = scene;
    m_other = std::move(other);
    m_rows = std::move(rows);
    m_words = std::move(words);
    std::int64_t largest = 0;
    for (const Row& row : m_rows) {
        largest = std::max({largest, row.hereBytes(), row.thereBytes()});
    }
    m_unit = byteUnit(largest);
    m_answer.forget();
    endResetModel();
    arrange();
}

const memory::LiveRange* LiveSetModel::rangeAt(int row) const {
    return row < 0 || row >= rowCount() ? nullptr : &m_rows[std::size_t(row)].either();
}

int LiveSetModel::rowOf(const memory::LiveRange& range) const {
    const auto found = std::ranges::find_if(
        m_rows, [&](const Row& row) { return row.here == &range || row.there == &range; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

std::int64_t LiveSetModel::total() const {
    std::int64_t sum = 0;
    for (const Row& row : m_rows) {
        sum += row.hereBytes() - row.thereBytes();
    }
    return sum;
}

int LiveSetModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int LiveSetModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString LiveSetModel::textOf(const Row& row, int column) const {
    const memory::LiveRange& range = row.either();
    switch (column) {
    case Name:
        return text(range.name);
    case Bytes:
        return row.here != nullptr ? inUnit(double(row.hereBytes()), m_unit) : QString();
    case Other:
        return row.there != nullptr ? inUnit(double(row.thereBytes()), m_unit) : QString();
    case Difference: {
        if (!comparing()) {
            return {};
        }
        const std::int64_t bytes = row.hereBytes() - row.thereBytes();
        return (bytes < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
               inUnit(double(std::abs(bytes)), m_unit);
    }
    case Kind:
        return categoryText(categoryOf(range.category));
    case From:
        // A value of the other profile has positions on another time line.
        return row.here != nullptr && m_words.node ? m_words.node(range.from) : QString();
    case To:
        return row.here != nullptr && m_words.node ? m_words.node(range.last) : QString();
    case Module:
        return m_words.module ? m_words.module(range) : QString();
    default:
        return {};
    }
}

double LiveSetModel::keyOf(const Row& row, int column) {
    switch (column) {
    case Bytes:
        return double(row.hereBytes());
    case Other:
        return double(row.thereBytes());
    case Difference:
        return double(row.hereBytes() - row.thereBytes());
    case From:
        return row.here != nullptr ? double(row.here->from) : -1;
    default:
        return row.here != nullptr ? double(row.here->last) : -1;
    }
}

QVariant LiveSetModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, index.column());
    case Qt::ToolTipRole: {
        const memory::LiveRange& range = row.either();
        QString words = text(range.name);
        for (const std::string& alias : range.aliases) {
            words += QStringLiteral(", ") + text(alias);
        }
        return plainToolTip(range.aliases.empty() ? words : tr("%1 share this memory").arg(words));
    }
    case Qt::TextAlignmentRole:
        return cellAlignment(isBytes(index.column()));
    case Qt::FontRole:
        return index.column() == Kind ? QVariant() : QVariant(m_font);
    case Qt::DecorationRole:
        return index.column() == Name ? QVariant(m_theme->theme().category(categoryOf(row.either().category)))
                                      : QVariant();
    case Qt::ForegroundRole:
        return index.column() == Difference && comparing()
                   ? QVariant(row.hereBytes() > row.thereBytes() ? m_theme->theme().bad
                                                                 : m_theme->theme().good)
                   : QVariant();
    default:
        return {};
    }
}

QVariant LiveSetModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isBytes(section));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Name:
        return tr("value");
    case Bytes:
        return comparing() ? tr("here") : tr("bytes");
    case Other:
        return tr("there");
    case Difference:
        return tr("difference");
    case Kind:
        return tr("kind");
    case From:
        return tr("alive from");
    case To:
        return tr("to");
    case Module:
        return tr("module");
    default:
        return {};
    }
}

void LiveSetModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column;
    m_sortOrder = order;
    arrange();
}

void LiveSetModel::arrange() {
    if (m_sortColumn < 0) {
        return;
    }
    const auto sorted = [rows = m_rows, words = m_words, column = m_sortColumn, order = m_sortOrder,
                         scene = m_scene, other = m_other] {
        switch (column) {
        case Name:
            return orderedBy(rows, order, [](const Row& row) { return row.either().name; });
        case Kind:
            return orderedBy(rows, order,
                             [](const Row& row) { return categoryText(categoryOf(row.either().category)); });
        case Module:
            return orderedBy(rows, order, [&words](const Row& row) {
                return words.module ? words.module(row.either()) : QString();
            });
        default:
            return orderedBy(rows, order, [column](const Row& row) { return keyOf(row, column); });
        }
    };
    m_answer.ask<std::vector<Row>>(m_rows.size(), sorted, [this](const std::vector<Row>& rows) {
        beginResetModel();
        m_rows = rows;
        endResetModel();
    });
}

} // namespace aotscope::views
