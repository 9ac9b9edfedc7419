#pragma once

#include "common/format.h"
#include "common/latest_answer.h"
#include "explore/saved_filter.h"
#include "hooks/capsule_rows.h"

#include <QAbstractTableModel>
#include <QFont>

#include <vector>

namespace aotscope::views {

class ThemeSource;

/// What the capsule of a row looks like; the value of CapsuleModel::capsuleRole.
struct CapsuleLook {
    /// The tensor's bytes as a fraction of the largest one's.
    double size = 0;
    /// What is stored as a fraction of the tensor's bytes; may be above 1.
    double stored = 1;
    bool hasHook = false;
    bool isBroken = false;
    /// "25 %"; empty without a hook.
    QString words;
};

/// The saved tensors with their hooks as rows that can be sorted, filtered, and switched off.
class CapsuleModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Hook,
        Bytes,
        Way,
        Stored,
        RelativeError,
        Worst,
        Peak,
        Types,
        MaxError,
        MeanError,
        Module,
        ColumnCount
    };
    static constexpr int capsuleRole = Qt::UserRole;

    explicit CapsuleModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Without a partition there are no rows. Long lists appear later, after this and after the changes
    /// below.
    void setSource(CapsuleSource source);
    void setFilter(const session::SavedFilter& filter);

    [[nodiscard]] const Capsule* tryRow(int row) const;
    /// -1: not among the shown rows.
    [[nodiscard]] int rowOf(const std::string& name) const;
    /// All rows, also those that are not shown.
    [[nodiscard]] const std::vector<Capsule>& all() const { return m_capsules; }
    [[nodiscard]] const CapsuleSource& source() const { return m_source; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    /// A person used the switch of a row.
    void switched(const std::string& saved, bool on);

private:
    using Rows = std::vector<std::size_t>;
    void arrange();
    [[nodiscard]] QString textOf(const Capsule& row, int column) const;
    [[nodiscard]] QString tipOf(const Capsule& row) const;
    [[nodiscard]] CapsuleLook lookOf(const Capsule& row) const;
    [[nodiscard]] QVariant colorOf(const Capsule& row, int column) const;

    const ThemeSource* m_theme;
    CapsuleSource m_source;
    std::vector<Capsule> m_capsules;
    session::SavedFilter m_filter;
    Rows m_shown;
    LatestAnswer m_answer;
    Unit m_byteUnit;
    std::int64_t m_largest = 1;
    QFont m_font;
    int m_sortColumn = Bytes;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace aotscope::views

Q_DECLARE_METATYPE(aotscope::views::CapsuleLook)
