#pragma once

#include "common/latest_answer.h"
#include "common/log_list.h"
#include "contract/snapshots.h"
#include "panels/compile_rows.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aotscope::views {

class GraphTotalsCollector;
class ThemeSource;

/// The tree log → compile → artifact. Sorts and filters plain vectors itself, because a log may have tens of
/// thousands of compiles; the rows of large logs are worked out on another thread and change later. Artifacts
/// are listed when their compile is opened.
class CompileModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Id, What, Status, Nodes, Saved, Time, Guards, Cache, ColumnCount };

    CompileModel(const GraphTotalsCollector* totals, const ThemeSource* theme, QObject* parent = nullptr);

    void setLog(const session::LogSnapshotPtr& log);
    void removeLog(quint32 log);
    /// Each word must occur in id, function, file, status or reason.
    void setFilter(const QString& filter);
    /// Totals of a compile became known.
    void totalsFound(const session::ArtifactReference& reference);

    enum class Level { None, Log, Compile, Artifact };
    [[nodiscard]] Level levelOf(const QModelIndex& index) const;
    [[nodiscard]] const load::Compile* compileAt(const QModelIndex& index) const;
    [[nodiscard]] session::LogSnapshotPtr logAt(const QModelIndex& index) const;
    [[nodiscard]] std::optional<load::CompileIndex> compileIndexAt(const QModelIndex& index) const;
    /// The reference with the artifact's exact name; nothing if the row is not an artifact.
    [[nodiscard]] std::optional<session::ArtifactReference> artifactAt(const QModelIndex& index) const;
    /// The row of a compile, or with `artifact` of an artifact in it; invalid if it is filtered out.
    [[nodiscard]] QModelIndex indexOf(const session::ArtifactReference& reference, bool artifact) const;
    [[nodiscard]] std::size_t shownCompiles() const;

    // QAbstractItemModel
    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex& parent = {}) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    /// The rows fit the logs, the filter and the order.
    void arranged();

private:
    /// Compile indexes in display order.
    using Rows = std::vector<std::uint32_t>;
    using RowsOfLogs = std::vector<Rows>;
    /// Heap-allocated, so that an index can point to its entry as long as the log is open.
    struct Entry {
        session::LogSnapshotPtr log;
        Rows shown;
        /// Row of each compile; -1: filtered out.
        std::vector<int> rowOf;
        /// For each opened compile: the number of artifacts announced to the view.
        mutable std::unordered_map<std::uint32_t, std::size_t> opened;

        void setRows(Rows rows);
    };

    [[nodiscard]] const Entry* entryOf(const QModelIndex& index) const;
    [[nodiscard]] int rowOfEntry(const Entry* entry) const;
    [[nodiscard]] static std::size_t artifactRows(const Entry& entry, std::uint32_t compile);
    [[nodiscard]] QModelIndex compileIndex(const Entry& entry, std::uint32_t compile, int column = 0) const;
    [[nodiscard]] QModelIndex logIndex(const Entry& entry) const;

    // compile_model_rows.cpp
    void grow(Entry& entry, const session::LogSnapshotPtr& log);
    void arrange();
    void show(const RowsOfLogs& rows);
    void appendNew(Entry& entry, const Rows& rows);
    void reorder(const RowsOfLogs& rows);

    // compile_model_data.cpp
    [[nodiscard]] QVariant logData(const Entry& entry, int column, int role) const;
    [[nodiscard]] QVariant compileData(const Entry& entry, std::uint32_t compile, int column, int role) const;
    [[nodiscard]] QString compileText(const Entry& entry, std::uint32_t compile, int column) const;
    [[nodiscard]] QVariant artifactData(const Entry& entry, std::uint32_t compile, std::size_t place,
                                        int column, int role) const;
    [[nodiscard]] session::ArtifactReference referenceOf(const Entry& entry, std::uint32_t compile) const;

    const GraphTotalsCollector* m_totals;
    const ThemeSource* m_theme;
    std::vector<std::unique_ptr<Entry>> m_entries;
    /// As in CompileOrder.
    std::vector<std::string> m_words;
    /// The words that the rows were filtered by.
    std::vector<std::string> m_shownWords;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    LatestAnswer m_answer;
};

/// "forward  modeling_gpt2.py:78"
[[nodiscard]] QString whatWasCompiled(const load::Compile& compile);
/// "✓ ok", "✓ recompiled", "✗ failed"
[[nodiscard]] QString compileStatusText(const load::Compile& compile);
/// "graph", "code", "JSON" and the like for an artifact's kind.
[[nodiscard]] QString artifactKindText(const load::Artifact& artifact);

} // namespace aotscope::views
