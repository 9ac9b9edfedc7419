#include "panels/compile_tree.h"

#include "common/theme.h"
#include "panels/compile_model.h"

#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace aotscope::views {

namespace {

bool isLog(const QModelIndex& index) {
    return !index.parent().isValid();
}

bool isArtifact(const QModelIndex& index) {
    return index.parent().parent().isValid();
}

constexpr int padding = 4;

/// "forward  modeling_gpt2.py:78" shortened to the width: the function is cut first, down to a third of the
/// width, then the start of the file name.
QString inRoom(const QString& words, const QFontMetrics& metrics, int room) {
    static const QString gap = QStringLiteral("  ");
    const qsizetype between = words.lastIndexOf(gap);
    if (between < 0 || metrics.horizontalAdvance(words) <= room) {
        return metrics.elidedText(words, Qt::ElideMiddle, room);
    }
    const QString place = words.mid(between + gap.size());
    const int both = room - metrics.horizontalAdvance(gap);
    constexpr int rounding = 2;
    const int ofPlace = metrics.horizontalAdvance(place) + rounding;
    const QString function =
        metrics.elidedText(words.first(between), Qt::ElideRight, std::max(both / 3, both - ofPlace));
    return function + gap +
           metrics.elidedText(place, Qt::ElideLeft, both - metrics.horizontalAdvance(function));
}

/// Does not paint log titles and artifact names: the tree paints these across several columns.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool isWhat = index.column() == CompileModel::What;
        if (isLog(index) || (isArtifact(index) && (isWhat || index.column() == CompileModel::Id))) {
            option->text.clear();
        } else if (isWhat && option->rect.isValid()) {
            option->text = inRoom(option->text, option->fontMetrics, option->rect.width() - 2 * padding);
        }
        option->textElideMode = Qt::ElideRight;
    }
};

} // namespace

CompileTree::CompileTree(const ThemeSource* theme, QWidget* parent) : QTreeView(parent), m_theme(theme) {
    setItemDelegate(new CellDelegate(this));
}

void CompileTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QTreeView::drawRow(painter, option, index);
    if (!isLog(index) && !isArtifact(index)) {
        return;
    }
    const int left = visualRect(index.siblingAtColumn(CompileModel::Id)).left() + padding;
    const int right =
        isLog(index) ? viewport()->width() : visualRect(index.siblingAtColumn(CompileModel::What)).right();
    const QRect room(left, option.rect.top(), right - left - padding, option.rect.height());
    painter->save();
    if (isLog(index)) {
        drawTitle(painter, room, option.font, index);
    } else {
        drawArtifact(painter, room, option.font, index);
    }
    painter->restore();
}

void CompileTree::drawTitle(QPainter* painter, const QRect& room, QFont font,
                            const QModelIndex& index) const {
    font.setBold(true);
    painter->setFont(font);
    painter->setPen(m_theme->theme().text);
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(font).elidedText(index.siblingAtColumn(CompileModel::Id).data().toString(),
                                                    Qt::ElideMiddle, room.width()));
}

/// Draws the name, and at the right end the kind. The name has the remaining width.
void CompileTree::drawArtifact(QPainter* painter, const QRect& room, const QFont& font,
                               const QModelIndex& index) const {
    painter->setFont(font);
    painter->setPen(m_theme->theme().dimText);
    const QString kind = index.siblingAtColumn(CompileModel::What).data().toString();
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, kind);
    constexpr int gap = 12;
    const int left = room.width() - QFontMetrics(font).horizontalAdvance(kind) - gap;
    painter->setFont(codeFont());
    painter->setPen(m_theme->theme().text);
    painter->drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(codeFont())
            .elidedText(index.siblingAtColumn(CompileModel::Id).data().toString(), Qt::ElideMiddle, left));
}

} // namespace aotscope::views
