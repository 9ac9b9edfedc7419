#include "panels/compile_model.h"

#include "common/graph_totals.h"

#include <algorithm>

namespace aotscope::views {

namespace {
// A QModelIndex holds its entry's row and the compile index; the upper bits hold the tree level.
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
        found->second = entry.log->artifacts(load::CompileIndex(compile)).size();
    }
    return found->second;
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
    return compile && entry ? &entry->log->compiles()[compile->index()] : nullptr;
}

std::optional<session::ArtifactReference> CompileModel::artifactAt(const QModelIndex& index) const {
    const Entry* entry = entryOf(index);
    if (!entry || levelOf(index) != Level::Artifact) {
        return std::nullopt;
    }
    const load::ArtifactList& all = entry->log->artifacts(load::CompileIndex(compileOf(index)));
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= all.size()) {
        return std::nullopt;
    }
    session::ArtifactReference reference = referenceOf(*entry, compileOf(index));
    reference.artifact = all.exactName(row);
    return reference;
}

QModelIndex CompileModel::logIndex(const Entry& entry) const {
    const int row = rowOfEntry(&entry);
    return createIndex(row, 0, packed(Level::Log, static_cast<quintptr>(row), 0));
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
        const std::optional<load::CompileIndex> compile = entry->log->tryFindCompile(reference);
        if (!compile || compile->index() >= entry->rowOf.size()) {
            return {};
        }
        const QModelIndex found = compileIndex(*entry, compile->index());
        if (!artifact || !found.isValid()) {
            return found;
        }
        const auto place = entry->log->artifacts(*compile).tryPlace(reference.artifact);
        const bool isRow = place && *place < artifactRows(*entry, compile->index());
        return isRow ? index(static_cast<int>(*place), 0, found) : QModelIndex();
    }
    return {};
}

std::size_t CompileModel::shownCompiles() const {
    std::size_t count = 0;
    for (const auto& entry : m_entries) {
        const auto compiles = entry->log->compiles();
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

/// The tree view asks this for every compile at once, so the answer must not list artifacts.
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
    return entry->log->traceLog() ? !entry->log->compiles()[compile].records.empty()
                                  : !entry->log->graphs().empty();
}

/// ItemNeverHasChildren saves queries of the view, and there may be more than a hundred thousand rows.
Qt::ItemFlags CompileModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    return levelOf(index) == Level::Artifact ? flags | Qt::ItemNeverHasChildren : flags;
}

int CompileModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

} // namespace aotscope::views
