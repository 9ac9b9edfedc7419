// The rows of CompileModel: logs come, grow and go; filter and order.
#include "panels/compile_model.h"

#include "base/mapped.h"
#include "common/graph_totals.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::views {

void CompileModel::Entry::setRows(Rows rows) {
    shown = std::move(rows);
    rowOf.assign(log->compiles().size(), -1);
    for (std::size_t row = 0; row < shown.size(); ++row) {
        rowOf[shown[row]] = static_cast<int>(row);
    }
}

void CompileModel::setLog(const session::LogSnapshotPtr& log) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const auto& entry) { return entry->log->log == log->log; });
    if (found == m_entries.end()) {
        auto entry = std::make_unique<Entry>();
        entry->log = log;
        entry->setRows({});
        const int row = static_cast<int>(m_entries.size());
        beginInsertRows({}, row, row);
        m_entries.push_back(std::move(entry));
        endInsertRows();
        arrange();
        return;
    }
    Entry& entry = **found;
    const auto before = entry.log->compiles();
    const auto after = log->compiles();
    const auto same = [](const load::Compile& left, const load::Compile& right) {
        return left.id == right.id && left.rank == right.rank;
    };
    if (after.size() >= before.size() && std::ranges::equal(before, after.first(before.size()), same)) {
        grow(entry, log);
        return;
    }
    beginResetModel();
    entry.log = log;
    entry.opened.clear();
    entry.setRows({});
    endResetModel();
    arrange();
}

/// Adds the rows of a log that grew while it was read or followed. What is open and selected stays.
void CompileModel::grow(Entry& entry, const session::LogSnapshotPtr& log) {
    entry.log = log;
    for (auto& [compile, rows] : entry.opened) {
        // Known rows keep their places; only new ones are announced.
        const std::size_t now = log->artifacts(load::CompileIndex(compile)).size();
        const QModelIndex compileRow = now > rows ? compileIndex(entry, compile) : QModelIndex();
        if (compileRow.isValid()) {
            beginInsertRows(compileRow, static_cast<int>(rows), static_cast<int>(now) - 1);
            rows = now;
            endInsertRows();
        } else {
            rows = now;
        }
    }
    entry.rowOf.resize(log->compiles().size(), -1);
    arrange();
    const QModelIndex logRow = logIndex(entry);
    Q_EMIT dataChanged(logRow, logRow.siblingAtColumn(ColumnCount - 1));
    if (!entry.shown.empty()) {
        Q_EMIT dataChanged(index(0, 0, logRow),
                           index(static_cast<int>(entry.shown.size()) - 1, ColumnCount - 1, logRow));
    }
}

void CompileModel::removeLog(quint32 log) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [log](const auto& entry) { return entry->log->log == log; });
    if (found != m_entries.end()) {
        // Indexes of later logs contain their row, so they all change.
        beginResetModel();
        m_entries.erase(found);
        endResetModel();
        if (m_answer.isAwaited()) {
            arrange();
        }
    }
}

void CompileModel::setFilter(const QString& filter) {
    std::vector<std::string> words = filterWords(filter);
    if (words != m_words) {
        m_words = std::move(words);
        arrange();
    }
}

void CompileModel::sort(int column, Qt::SortOrder order) {
    if (column != m_sortColumn || order != m_sortOrder) {
        m_sortColumn = column;
        m_sortOrder = order;
        arrange();
    }
}

/// Asks which compiles have rows and in which order. Called after each change of the logs, the filter and the
/// order, so that the answer fits them all.
void CompileModel::arrange() {
    std::vector<std::pair<session::LogSnapshotPtr, Rows>> logs;
    std::size_t compiles = 0;
    for (const auto& entry : m_entries) {
        // What matched stays until the filter changes. Without a filter everything matches.
        const bool keeps = m_words == m_shownWords && !m_words.empty();
        logs.emplace_back(entry->log, keeps ? entry->shown : Rows());
        compiles += entry->log->compiles().size();
    }
    CompileOrder order{m_words, m_sortColumn, m_sortOrder, {}};
    if (m_sortColumn == Nodes || m_sortColumn == Saved) {
        order.totals = m_totals->known();
    }
    m_answer.ask<RowsOfLogs>(
        compiles,
        [logs = std::move(logs), order = std::move(order)] {
            return base::mapped(
                logs, [&](const auto& each) { return compileRows(*each.first, each.second, order); });
        },
        [this](const RowsOfLogs& rows) { show(rows); });
}

void CompileModel::show(const RowsOfLogs& rows) {
    if (m_words != m_shownWords) {
        beginResetModel();
        m_shownWords = m_words;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            m_entries[i]->setRows(rows[i]);
        }
        endResetModel();
    } else {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            appendNew(*m_entries[i], rows[i]);
        }
        reorder(rows);
    }
    Q_EMIT arranged();
}

/// Appends the compiles that have no row yet.
void CompileModel::appendNew(Entry& entry, const Rows& rows) {
    Rows fresh;
    std::ranges::copy_if(rows, std::back_inserter(fresh),
                         [&](std::uint32_t compile) { return entry.rowOf[compile] < 0; });
    if (fresh.empty()) {
        return;
    }
    const std::size_t known = entry.shown.size();
    beginInsertRows(logIndex(entry), static_cast<int>(known), static_cast<int>(known + fresh.size()) - 1);
    for (const std::uint32_t compile : fresh) {
        entry.rowOf[compile] = static_cast<int>(entry.shown.size());
        entry.shown.push_back(compile);
    }
    endInsertRows();
}

/// Puts the rows in another order; what is open and selected stays.
void CompileModel::reorder(const RowsOfLogs& rows) {
    const auto isShown = [](const auto& entry, const Rows& wanted) { return entry->shown == wanted; };
    if (std::ranges::equal(m_entries, rows, isShown)) {
        return;
    }
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        m_entries[i]->setRows(rows[i]);
    }
    QModelIndexList after;
    after.reserve(before.size());
    for (const QModelIndex& index : before) {
        after.append(levelOf(index) == Level::Compile
                         ? compileIndex(*entryOf(index), compileIndexAt(index)->index(), index.column())
                         : index);
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

} // namespace aotscope::views
