#include "hooks/capsule_delegate.h"

#include "common/theme.h"
#include "hooks/capsule_model.h"
#include "style/ink.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace aotscope::views {

namespace {

constexpr double margin = 6;
/// Length of the bands before and after the capsule.
constexpr double stub = 22;
constexpr double capsuleHeight = 12;
constexpr double thickest = 10;
constexpr double thinnest = 1.5;
constexpr double wordsWidth = 44;

struct Frame {
    QPainter& painter;
    const Theme& theme;
    const CapsuleLook& look;
    QRectF way;

    [[nodiscard]] double middle() const { return way.center().y(); }
    [[nodiscard]] double thickness() const { return std::clamp(look.size * thickest, thinnest, thickest); }
};

void paintBand(const Frame& frame, double from, double to) {
    const double half = frame.thickness() / 2;
    frame.painter.fillRect(QRectF(from, frame.middle() - half, to - from, 2 * half),
                           frame.theme.category(Category::Saved));
}

/// "❯" where a tensor is packed and unpacked.
void paintTip(const Frame& frame, double x) {
    QPainterPath tip;
    tip.moveTo(x - 3, frame.middle() - 3.5);
    tip.lineTo(x + 0.5, frame.middle());
    tip.lineTo(x - 3, frame.middle() + 3.5);
    frame.painter.setPen(QPen(frame.theme.text, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    frame.painter.setBrush(Qt::NoBrush);
    frame.painter.drawPath(tip);
}

void paintCapsule(const Frame& frame) {
    QPainter& painter = frame.painter;
    const QRectF capsule(frame.way.left() + stub, frame.middle() - capsuleHeight / 2,
                         frame.way.width() - 2 * stub, capsuleHeight);
    QPainterPath outline;
    outline.addRoundedRect(capsule, capsuleHeight / 2, capsuleHeight / 2);
    painter.fillPath(outline, frame.theme.background);
    const double stored = std::min(1.0, frame.look.stored);
    painter.save();
    painter.setClipPath(outline, Qt::IntersectClip);
    // What more than the tensor itself is stored is as bad as it looks.
    const QColor fill = frame.look.stored > 1 ? frame.theme.bad : frame.theme.category(Category::Packed);
    painter.fillRect(QRectF(capsule.left(), capsule.top(), capsule.width() * stored, capsule.height()), fill);
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme.dimText, 1));
    painter.drawPath(outline);
    paintTip(frame, capsule.left() - 4);
    paintTip(frame, frame.way.right() - 4);
}

} // namespace

CapsuleDelegate::CapsuleDelegate(const ThemeSource* theme, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme) {}

void CapsuleDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    QStyleOptionViewItem background = option;
    initStyleOption(&background, index);
    background.text.clear();
    const QWidget* widget = option.widget;
    const QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &background, painter, widget);

    const auto look = index.data(CapsuleModel::capsuleRole).value<CapsuleLook>();
    const Theme& theme = m_theme->theme();
    const QRectF cell(option.rect);
    const Frame frame{*painter, theme, look, cell.adjusted(margin, 0, -margin - wordsWidth, 0)};
    if (frame.way.width() < 3 * stub) {
        return;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (!look.hasHook) {
        paintBand(frame, frame.way.left(), frame.way.right());
        if (look.isBroken) {
            painter->setPen(theme.bad);
            painter->drawText(cell.adjusted(cell.width() - wordsWidth - margin + 8, 0, -margin, 0),
                              Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("✗"));
        }
    } else {
        paintBand(frame, frame.way.left(), frame.way.left() + stub - 9);
        paintBand(frame, frame.way.right() - stub, frame.way.right() - 9);
        paintCapsule(frame);
        painter->setFont(background.font);
        painter->setPen(theme.text);
        painter->drawText(cell.adjusted(cell.width() - wordsWidth - margin, 0, -margin, 0),
                          Qt::AlignVCenter | Qt::AlignRight, look.words);
    }
    painter->restore();
}

} // namespace aotscope::views
