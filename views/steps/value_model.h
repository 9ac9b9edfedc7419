#pragma once

#include "steps/value_rows.h"

#include <QAbstractItemModel>
#include <QFont>
#include <QStyledItemDelegate>

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::views {

class ThemeSource;

/// Lists of values before and after, one section below the other.
class ValueModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Before, BeforeStorage, Change, After, AfterStorage, Words, ColumnCount };

    explicit ValueModel(const ThemeSource* theme, QObject* parent = nullptr);

    void setSections(std::vector<ValueSection> sections);
    [[nodiscard]] const std::vector<ValueSection>& sections() const { return m_sections; }
    /// The span drawn in a storage column.
    [[nodiscard]] std::optional<StorageSpan> spanAt(const QModelIndex& index) const;
    /// The colour of a storage that several values lie in; invalid: only one does.
    [[nodiscard]] QColor storageColor(std::uint64_t storage) const;
    [[nodiscard]] const ThemeSource* theme() const { return m_theme; }

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const ValueRow* tryRow(const QModelIndex& index) const;
    [[nodiscard]] QString textOf(const ValueRow& row, int column) const;
    [[nodiscard]] QVariant colorOf(const ValueRow& row, int column) const;
    void countStorages();

    const ThemeSource* m_theme;
    QFont m_code;
    std::vector<ValueSection> m_sections;
    /// Storages with several tensors, in the order in which they are seen.
    std::vector<std::uint64_t> m_shared;
};

/// Draws a tensor's span on its storage, to scale.
class SpanDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace aotscope::views
