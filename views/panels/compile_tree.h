#pragma once

#include <QTreeView>

namespace aotscope::views {

class ThemeSource;

/// The tree of CompileModel, in which a log's title runs over all columns, and an artifact's name over two:
/// names are longer than ids. Qt's own rows that span look themselves up at every row, and a compile may hold
/// more than a hundred thousand.
class CompileTree : public QTreeView {
    Q_OBJECT

public:
    /// `theme` outlives the tree.
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
