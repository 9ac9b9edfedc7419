#pragma once

#include <QTreeView>

namespace aotscope::views {

class ThemeSource;

/// The tree view of CompileModel. A log's title spans all columns and an artifact's name spans two, because
/// names are longer than ids. Qt's own spanning does a lookup per row, which is too slow for a compile with
/// more than a hundred thousand rows.
class CompileTree : public QTreeView {
    Q_OBJECT

public:
    /// `theme` must outlive the tree.
    explicit CompileTree(const ThemeSource* theme, QWidget* parent = nullptr);

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;

private:
    void drawTitle(QPainter* painter, const QRect& room, QFont font, const QModelIndex& index) const;
    void drawArtifact(QPainter* painter, const QRect& room, const QFont& font,
                      const QModelIndex& index) const;

    const ThemeSource* m_theme;
};

} // namespace aotscope::views
