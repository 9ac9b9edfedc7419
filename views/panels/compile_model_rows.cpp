// The rows of CompileModel and their order.
#include "panels/compile_model.h"

#include "common/format.h"
#include "common/graph_totals.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace aotscope::views {

namespace {

constexpr double unknown = -1;

/// The sort key of a row: texts compare first, then numbers.
struct SortKey {
    std::string_view text;
    std::string_view more;
    double number = 0;
    auto operator<=>(const SortKey&) const = default; // NOLINT(modernize-use-nullptr): its own zero
};

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The distinct texts of columns that have few, as bytes in lower case.
class ColumnWords {
public:
    [[nodiscard]] const std::string& of(load::CompileStatus status) {
        return m_status.try_emplace(status, statusWord(status).toLower().toStdString()).first->second;
    }
    [[nodiscard]] const std::string& of(load::CacheState cache) {
        return m_cache.try_emplace(cache, cacheWord(cache).toLower().toStdString()).first->second;
    }

private:
    std::map<load::CompileStatus, std::string> m_status;
    std::map<load::CacheState, std::string> m_cache;
};

} // namespace

void CompileModel::setLog(const session::LogSnapshotPtr& log) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const auto& entry) { return entry->log->log == log->log; });
    if (found == m_entries.end()) {
        auto entry = std::make_unique<Entry>();
        entry->log = log;
        arrange(*entry);
        const int row = static_cast<int>(m_entries.size());
        beginInsertRows({}, row, row);
        m_entries.push_back(std::move(entry));
        endInsertRows();
        return;
    }
    Entry& entry = **found;
    const auto before = compilesOf(*entry.log);
    const auto after = compilesOf(*log);
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
    arrange(entry);
    endResetModel();
}

/// Adds the rows of a log that grew while it was read or followed. What is open and selected stays.
void CompileModel::grow(Entry& entry, const session::LogSnapshotPtr& log) {
    entry.log = log;
    for (auto& [compile, rows] : entry.opened) {
        // Known rows keep their places; only new ones are announced.
        const std::size_t now = artifactsOf(*log, load::CompileIndex(compile)).size();
        const QModelIndex compileRow = now > rows ? compileIndex(entry, compile) : QModelIndex();
        if (compileRow.isValid()) {
            beginInsertRows(compileRow, static_cast<int>(rows), static_cast<int>(now) - 1);
            rows = now;
            endInsertRows();
        } else {
            rows = now;
        }
    }
    const std::size_t known = entry.shown.size();
    entry.rowOf.resize(compilesOf(*log).size(), -1);
    // A row that matches stays until the filter changes.
    const std::vector<std::uint32_t> fresh =
        found(entry, [&](std::uint32_t compile) { return entry.rowOf[compile] < 0; });
    const QModelIndex parentIndex = logIndex(entry);
    if (!fresh.empty()) {
        beginInsertRows(parentIndex, static_cast<int>(known), static_cast<int>(known + fresh.size()) - 1);
        for (const std::uint32_t compile : fresh) {
            entry.rowOf[compile] = static_cast<int>(entry.shown.size());
            entry.shown.push_back(compile);
        }
        endInsertRows();
    }
    if (m_sortColumn >= 0 || !m_filter.empty()) {
        reorder();
    }
    Q_EMIT dataChanged(parentIndex, parentIndex.siblingAtColumn(ColumnCount - 1));
    if (known > 0) {
        Q_EMIT dataChanged(index(0, 0, parentIndex),
                           index(static_cast<int>(known) - 1, ColumnCount - 1, parentIndex));
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
    }
}

void CompileModel::setFilter(const QString& filter) {
    std::vector<std::string> words;
    for (const QString& word : filter.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        words.push_back(word.toStdString());
        std::ranges::transform(words.back(), words.back().begin(), lowered);
    }
    if (words == m_filter) {
        return;
    }
    m_filter = std::move(words);
    beginResetModel();
    for (const auto& entry : m_entries) {
        arrange(*entry);
    }
    endResetModel();
}

void CompileModel::sort(int column, Qt::SortOrder order) {
    if (column != m_sortColumn || order != m_sortOrder) {
        m_sortColumn = column;
        m_sortOrder = order;
        reorder();
    }
}

/// Sorts the same rows again; what is open and selected stays.
void CompileModel::reorder() {
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    for (const auto& entry : m_entries) {
        order(*entry);
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

/// The compiles for which `wanted` holds and that contain every word of the filter.
std::vector<std::uint32_t> CompileModel::found(const Entry& entry,
                                               const std::function<bool(std::uint32_t)>& wanted) const {
    const auto compiles = compilesOf(*entry.log);
    std::vector<std::uint32_t> found;
    ColumnWords words;
    // Reused for all rows: a log may have tens of thousands.
    std::string line;
    for (std::uint32_t i = 0; i < compiles.size(); ++i) {
        const load::Compile& compile = compiles[i];
        if (!wanted(i)) {
            continue;
        }
        if (!m_filter.empty()) {
            line = session::idText(compile.id, compile.rank);
            for (const std::string& part :
                 {std::cref(compile.function), std::cref(compile.file), std::cref(compile.reason)}) {
                line += ' ';
                line += part;
            }
            line += ':';
            line += std::to_string(compile.line);
            line += ' ';
            line += words.of(compile.status);
            line += compile.recompileReasons.empty() ? " " : " recompiled ";
            line += words.of(compile.cache);
            std::ranges::transform(line, line.begin(), lowered);
        }
        const bool isHere = std::ranges::all_of(
            m_filter, [&](const std::string& word) { return line.find(word) != std::string::npos; });
        if (isHere) {
            found.push_back(i);
        }
    }
    return found;
}

void CompileModel::arrange(Entry& entry) const {
    entry.shown = found(entry, [](std::uint32_t) { return true; });
    order(entry);
}

void CompileModel::order(Entry& entry) const {
    const auto compiles = compilesOf(*entry.log);
    std::ranges::sort(entry.shown);
    if (m_sortColumn >= 0) {
        std::vector<SortKey> keys(compiles.size());
        for (const std::uint32_t i : entry.shown) {
            const load::Compile& compile = compiles[i];
            if (m_sortColumn == What) {
                keys[i] = {compile.function, compile.file, double(compile.line)};
            } else {
                keys[i].number = sortKey(entry, i);
            }
        }
        const bool ascending = m_sortOrder == Qt::AscendingOrder;
        std::ranges::stable_sort(entry.shown, [&](std::uint32_t left, std::uint32_t right) {
            return ascending ? keys[left] < keys[right] : keys[right] < keys[left];
        });
    }
    entry.rowOf.assign(compiles.size(), -1);
    for (std::size_t row = 0; row < entry.shown.size(); ++row) {
        entry.rowOf[entry.shown[row]] = static_cast<int>(row);
    }
}

double CompileModel::sortKey(const Entry& entry, std::uint32_t index) const {
    const load::Compile& compile = compilesOf(*entry.log)[index];
    switch (m_sortColumn) {
    case Nodes: {
        const std::optional<std::size_t> nodes = m_totals->known().nodesOf(referenceOf(entry, index));
        return nodes ? double(*nodes) : double(compile.graphNodeCount.value_or(-1));
    }
    case Time:
        return compile.seconds.value_or(unknown);
    case Saved: {
        const std::optional<std::int64_t> saved = m_totals->known().savedBytesOf(referenceOf(entry, index));
        return saved ? double(*saved) : unknown;
    }
    case Guards:
        return double(compile.guardCount.value_or(-1));
    case Status:
        return 2 * double(compile.status) + (compile.recompileReasons.empty() ? 0 : 1);
    case Cache:
        return double(compile.cache);
    default:
        return double(index);
    }
}

} // namespace aotscope::views
