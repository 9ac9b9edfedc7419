#include "panels/compile_tree.h"

#include "common/theme.h"
#include "panels/compile_model.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace aotscope::views {

namespace {

bool isLog(const QModelIndex& index) {
    return !index.parent().isValid();
}

/// Leaves the titles of logs to the tree, which has the room of all columns. What was compiled ends with its
/// file and line, so that its middle gives way; of a word it is the end.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (isLog(index)) {
            option->text.clear();
        }
        option->textElideMode = index.column() == CompileModel::What ? Qt::ElideMiddle : Qt::ElideRight;
    }
};

} // namespace

CompileTree::CompileTree(const ThemeSource* theme, QWidget* parent) : QTreeView(parent), m_theme(theme) {
    setItemDelegate(new CellDelegate(this));
}

void CompileTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QTreeView::drawRow(painter, option, index);
    if (!isLog(index)) {
        return;
    }
    constexpr int padding = 4;
    const int left = visualRect(index.siblingAtColumn(0)).left() + padding;
    const QRect room(left, option.rect.top(), viewport()->width() - left - padding, option.rect.height());
    QFont bold = option.font;
    bold.setBold(true);
    painter->save();
    painter->setFont(bold);
    painter->setPen(m_theme->theme().text);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(bold).elidedText(index.siblingAtColumn(0).data().toString(),
                                                    Qt::ElideMiddle, room.width()));
    painter->restore();
}

} // namespace aotscope::views
