#include "panels/compile_model.h"

#include "common/graph_totals.h"

#include <algorithm>

namespace aotscope::views {

namespace {
// An index holds its entry's row and the stable compile index; the level is in the upper bits.
constexpr quintptr levelShift = 60;
constexpr quintptr entryShift = 32;
constexpr quintptr compileMask = 0xffff'ffffU;
constexpr quintptr entryMask = 0x0fff'ffffU;

quintptr packed(CompileModel::Level level, quintptr entry, std::uint32_t compile) {
    return (static_cast<quintptr>(level) << levelShift) | (entry << entryShift) | compile;
}
std::uint32_t compileOf(const QModelIndex& index) {
    return static_cast<std::uint32_t>(index.internalId() & compileMask);
}
quintptr entryRowOf(const QModelIndex& index) {
    return (index.internalId() >> entryShift) & entryMask;
}
} // namespace

CompileModel::CompileModel(const GraphTotalsCollector* totals, const ThemeSource* theme, QObject* parent)
    : QAbstractItemModel(parent), m_totals(totals), m_theme(theme) {}

CompileModel::Level CompileModel::levelOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Level>(index.internalId() >> levelShift) : Level::None;
}

const CompileModel::Entry* CompileModel::entryOf(const QModelIndex& index) const {
    const quintptr row = index.isValid() ? entryRowOf(index) : m_entries.size();
    return row < m_entries.size() ? m_entries[row].get() : nullptr;
}

int CompileModel::rowOfEntry(const Entry* entry) const {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [entry](const auto& other) { return other.get() == entry; });
    return static_cast<int>(found - m_entries.begin());
}

std::size_t CompileModel::artifactRows(const Entry& entry, std::uint32_t compile) {
    const auto [found, isNew] = entry.opened.try_emplace(compile);
    if (isNew) {
        found->second = artifactsOf(*entry.log, load::CompileIndex(compile)).size();
    }
    return found->second;
}

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
    if (tryAppend(entry, log)) {
        return;
    }
    beginResetModel();
    entry.log = log;
    entry.opened.clear();
    entry.searchText.clear();
    arrange(entry);
    endResetModel();
}

/// A log that grew while being read or followed: rows are added without disturbing what is open and selected.
bool CompileModel::tryAppend(Entry& entry, const session::LogSnapshotPtr& log) {
    const auto before = compilesOf(*entry.log);
    const auto after = compilesOf(*log);
    if (after.size() < before.size() || m_sortColumn >= 0 || !m_filter.isEmpty()) {
        return false;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].id != after[i].id) {
            return false;
        }
    }
    const auto count = static_cast<std::uint32_t>(before.size());
    const int row = rowOfEntry(&entry);
    const QModelIndex parentIndex = createIndex(row, 0, packed(Level::Log, static_cast<quintptr>(row), 0));
    entry.log = log;
    entry.searchText.clear();
    for (auto& [compile, rows] : entry.opened) {
        // Known rows keep their place; only the new ones are announced.
        const std::size_t now = artifactsOf(*log, load::CompileIndex(compile)).size();
        const QModelIndex compileRow = now > rows ? compileIndex(entry, compile) : QModelIndex();
        if (compileRow.isValid()) {
            beginInsertRows(compileRow, static_cast<int>(rows), static_cast<int>(now) - 1);
            rows = now;
            endInsertRows();
        }
    }
    if (after.size() > before.size()) {
        beginInsertRows(parentIndex, static_cast<int>(count), static_cast<int>(after.size()) - 1);
        for (auto i = count; i < after.size(); ++i) {
            entry.rowOf.push_back(static_cast<int>(i));
            entry.shown.push_back(i);
        }
        endInsertRows();
    }
    Q_EMIT dataChanged(parentIndex, createIndex(row, ColumnCount - 1, parentIndex.internalId()));
    if (count > 0) {
        Q_EMIT dataChanged(compileIndex(entry, 0), compileIndex(entry, count - 1, ColumnCount - 1));
    }
    return true;
}

void CompileModel::removeLog(quint32 log) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [log](const auto& entry) { return entry->log->log == log; });
    if (found != m_entries.end()) {
        // Rows of later logs carry their place in their indexes, so everything is named anew.
        beginResetModel();
        m_entries.erase(found);
        endResetModel();
    }
}

void CompileModel::setFilter(const QString& filter) {
    const QStringList words = filter.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words != m_filter) {
        m_filter = words;
        rearrange();
    }
}

void CompileModel::sort(int column, Qt::SortOrder order) {
    if (column != m_sortColumn || order != m_sortOrder) {
        m_sortColumn = column;
        m_sortOrder = order;
        rearrange();
    }
}

void CompileModel::rearrange() {
    beginResetModel();
    for (const auto& entry : m_entries) {
        arrange(*entry);
    }
    endResetModel();
}

bool CompileModel::accepts(Entry& entry, std::uint32_t compile) const {
    if (m_filter.isEmpty()) {
        return true;
    }
    if (entry.searchText.empty()) {
        const auto compiles = compilesOf(*entry.log);
        entry.searchText.reserve(compiles.size());
        for (std::uint32_t i = 0; i < compiles.size(); ++i) {
            QStringList parts;
            for (const int column : {Id, What, Status, Cache}) {
                parts.append(compileText(entry, i, column));
            }
            parts.append(QString::fromStdString(compiles[i].file + ' ' + compiles[i].reason));
            entry.searchText.push_back(parts.join(QLatin1Char(' ')).toLower());
        }
    }
    return std::all_of(m_filter.begin(), m_filter.end(),
                       [&](const QString& word) { return entry.searchText[compile].contains(word); });
}

void CompileModel::arrange(Entry& entry) {
    const auto compiles = compilesOf(*entry.log);
    entry.shown.clear();
    for (std::uint32_t i = 0; i < compiles.size(); ++i) {
        if (accepts(entry, i)) {
            entry.shown.push_back(i);
        }
    }
    if (m_sortColumn >= 0) {
        std::vector<double> keys(compiles.size());
        std::vector<QString> texts;
        const bool byText = m_sortColumn == What || m_sortColumn == Status || m_sortColumn == Cache;
        texts.resize(byText ? compiles.size() : 0);
        for (const std::uint32_t i : entry.shown) {
            if (byText) {
                texts[i] = compileText(entry, i, m_sortColumn);
            } else {
                keys[i] = sortKey(entry, i);
            }
        }
        const auto less = [&](std::uint32_t left, std::uint32_t right) {
            return byText ? texts[left] < texts[right] : keys[left] < keys[right];
        };
        const auto greater = [&](std::uint32_t left, std::uint32_t right) { return less(right, left); };
        if (m_sortOrder == Qt::AscendingOrder) {
            std::stable_sort(entry.shown.begin(), entry.shown.end(), less);
        } else {
            std::stable_sort(entry.shown.begin(), entry.shown.end(), greater);
        }
    }
    entry.rowOf.assign(compiles.size(), -1);
    for (std::size_t row = 0; row < entry.shown.size(); ++row) {
        entry.rowOf[entry.shown[row]] = static_cast<int>(row);
    }
}

void CompileModel::totalsFound(const session::ArtifactReference& reference) {
    const QModelIndex found = indexOf(reference, false);
    if (found.isValid()) {
        Q_EMIT dataChanged(found.siblingAtColumn(Nodes), found.siblingAtColumn(Saved));
        const bool isOpened = entryOf(found)->opened.contains(compileOf(found));
        const int row = isOpened ? indexOf(reference, true).row() : -1;
        if (row >= 0) {
            Q_EMIT dataChanged(index(row, Nodes, found), index(row, Saved, found));
        }
    }
}

session::LogSnapshotPtr CompileModel::logAt(const QModelIndex& index) const {
    const Entry* entry = entryOf(index);
    return entry ? entry->log : nullptr;
}

std::optional<load::CompileIndex> CompileModel::compileIndexAt(const QModelIndex& index) const {
    const Level level = levelOf(index);
    return level == Level::Compile || level == Level::Artifact
               ? std::optional(load::CompileIndex(compileOf(index)))
               : std::nullopt;
}

const load::Compile* CompileModel::compileAt(const QModelIndex& index) const {
    const std::optional<load::CompileIndex> compile = compileIndexAt(index);
    const Entry* entry = entryOf(index);
    return compile && entry ? &compilesOf(*entry->log)[compile->index()] : nullptr;
}

std::optional<session::ArtifactReference> CompileModel::artifactAt(const QModelIndex& index) const {
    const Entry* entry = entryOf(index);
    if (!entry || levelOf(index) != Level::Artifact) {
        return std::nullopt;
    }
    const load::ArtifactList& all = artifactsOf(*entry->log, load::CompileIndex(compileOf(index)));
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= all.size()) {
        return std::nullopt;
    }
    session::ArtifactReference reference = referenceOf(*entry, compileOf(index));
    reference.artifact = all.exactName(row);
    return reference;
}

QModelIndex CompileModel::compileIndex(const Entry& entry, std::uint32_t compile, int column) const {
    const int row = entry.rowOf[compile];
    return row < 0 ? QModelIndex()
                   : createIndex(row, column,
                                 packed(Level::Compile, static_cast<quintptr>(rowOfEntry(&entry)), compile));
}

QModelIndex CompileModel::indexOf(const session::ArtifactReference& reference, bool artifact) const {
    for (const auto& entry : m_entries) {
        if (entry->log->log != reference.log) {
            continue;
        }
        const std::optional<load::CompileIndex> compile =
            entry->log->traceLog ? entry->log->traceLog->tryFindCompile(reference.compile, reference.rank)
                                 : load::CompileIndex(0);
        if (!compile || compile->index() >= entry->rowOf.size()) {
            return {};
        }
        const QModelIndex found = compileIndex(*entry, compile->index());
        if (!artifact || !found.isValid()) {
            return found;
        }
        const auto place = artifactsOf(*entry->log, *compile).tryPlace(reference.artifact);
        const bool isRow = place && *place < artifactRows(*entry, compile->index());
        return isRow ? index(static_cast<int>(*place), 0, found) : QModelIndex();
    }
    return {};
}

std::size_t CompileModel::shownCompiles() const {
    std::size_t count = 0;
    for (const auto& entry : m_entries) {
        const auto compiles = compilesOf(*entry->log);
        count += static_cast<std::size_t>(
            std::ranges::count_if(entry->shown, [&](std::uint32_t row) { return isCompile(compiles[row]); }));
    }
    return count;
}

QModelIndex CompileModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    switch (levelOf(parent)) {
    case Level::None:
        return createIndex(row, column, packed(Level::Log, static_cast<quintptr>(row), 0));
    case Level::Log:
        return createIndex(row, column,
                           packed(Level::Compile, entryRowOf(parent),
                                  entryOf(parent)->shown[static_cast<std::size_t>(row)]));
    case Level::Compile:
        return createIndex(row, column, packed(Level::Artifact, entryRowOf(parent), compileOf(parent)));
    case Level::Artifact:
        break;
    }
    return {};
}

QModelIndex CompileModel::parent(const QModelIndex& child) const {
    const Entry* entry = entryOf(child);
    if (!entry) {
        return {};
    }
    switch (levelOf(child)) {
    case Level::Compile:
        return createIndex(static_cast<int>(entryRowOf(child)), 0, packed(Level::Log, entryRowOf(child), 0));
    case Level::Artifact:
        return compileIndex(*entry, compileOf(child));
    default:
        return {};
    }
}

int CompileModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) {
        return 0;
    }
    switch (levelOf(parent)) {
    case Level::None:
        return static_cast<int>(m_entries.size());
    case Level::Log:
        return entryOf(parent) ? static_cast<int>(entryOf(parent)->shown.size()) : 0;
    case Level::Compile:
        return static_cast<int>(artifactRows(*entryOf(parent), compileOf(parent)));
    case Level::Artifact:
        break;
    }
    return 0;
}

/// A tree asks this of every compile at once, so a compile's artifacts are not listed for the answer.
bool CompileModel::hasChildren(const QModelIndex& parent) const {
    const Entry* entry = entryOf(parent);
    if (levelOf(parent) != Level::Compile || parent.column() > 0 || !entry) {
        return rowCount(parent) > 0;
    }
    const std::uint32_t compile = compileOf(parent);
    const auto known = entry->opened.find(compile);
    if (known != entry->opened.end()) {
        return known->second > 0;
    }
    return entry->log->traceLog ? !compilesOf(*entry->log)[compile].records.empty()
                                : !entry->log->graphs.empty();
}

int CompileModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

} // namespace aotscope::views
