#pragma once

#include "common/format.h"
#include "common/latest_answer.h"
#include "contract/snapshots.h"
#include "memory/memory_scene.h"

#include <QAbstractTableModel>
#include <QFont>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::views {

/// Values of a profile as rows: those alive at a position, those alive in a range of positions, or those in
/// which two profiles' peaks differ.
class LiveSetModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// `Other` and `Difference` are only filled when two profiles are compared.
    enum Column { Name, Bytes, Other, Difference, Kind, From, To, Module, ColumnCount };

    /// Texts of a row that do not come from the profile. Called on any thread, on immutable values.
    struct Words {
        /// The node at a position.
        std::function<QString(std::uint32_t position)> node;
        /// The module of a value.
        std::function<QString(const memory::LiveRange& range)> module;
    };

    explicit LiveSetModel(const ThemeSource* theme, QObject* parent = nullptr);

    void clear();
    /// Shows what is alive at any position from `first` to `last`.
    void showAlive(const MemoryScenePtr& scene, std::uint32_t first, std::uint32_t last, Words words);
    /// Shows what is alive at one peak but not at the other. Positions are those of the profile that has the
    /// value.
    void showDifference(const MemoryScenePtr& scene, const ProfilePtr& other, Words words);
    [[nodiscard]] bool comparing() const { return m_other != nullptr; }

    /// Null: no such row.
    [[nodiscard]] const memory::LiveRange* rangeAt(int row) const;
    /// -1: not in the table.
    [[nodiscard]] int rowOf(const memory::LiveRange& range) const;
    /// The sum over all rows of the bytes, or of the differences.
    [[nodiscard]] std::int64_t total() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    struct Row {
        /// Null: not alive in this profile.
        const memory::LiveRange* here = nullptr;
        const memory::LiveRange* there = nullptr;

        [[nodiscard]] const memory::LiveRange& either() const { return here != nullptr ? *here : *there; }
        [[nodiscard]] std::int64_t hereBytes() const { return here != nullptr ? here->bytes : 0; }
        [[nodiscard]] std::int64_t thereBytes() const { return there != nullptr ? there->bytes : 0; }
    };

    void take(const MemoryScenePtr& scene, ProfilePtr other, std::vector<Row> rows, Words words);
    void arrange();
    [[nodiscard]] QString textOf(const Row& row, int column) const;
    [[nodiscard]] static double keyOf(const Row& row, int column);

    const ThemeSource* m_theme;
    QFont m_font;
    MemoryScenePtr m_scene;
    ProfilePtr m_other;
    std::vector<Row> m_rows;
    Words m_words;
    Unit m_unit;
    LatestAnswer m_answer;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace aotscope::views
