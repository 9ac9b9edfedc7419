// The titles of docks.
#include "style/ink.h"
#include "style/parts.h"

#include <QIconEngine>
#include <QPainter>
#include <QPointer>
#include <QStyleOption>
#include <QWidget>

namespace aotscope::views::style {

namespace {

/// Reads the widget's palette each time it paints, so that the icon follows the theme.
class TitleButtonIcon : public QIconEngine {
public:
    TitleButtonIcon(Mark mark, const QWidget* widget) : m_mark(mark), m_widget(widget) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode, QIcon::State) override {
        if (m_widget) {
            const QPointF middle = QRectF(rect).center();
            paintMark(*painter, m_mark, {middle.x() - side / 2, middle.y() - side / 2, side, side},
                      Ink(m_widget->palette()).text);
        }
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, picture.rect(), mode, state);
        return picture;
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override {
        QPixmap picture(size);
        picture.setDevicePixelRatio(scale);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRectF(QPointF(), QSizeF(size) / scale).toAlignedRect(), mode, state);
        return picture;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new TitleButtonIcon(*this); }

private:
    static constexpr double side = 10;
    Mark m_mark;
    QPointer<const QWidget> m_widget;
};

} // namespace

void paintDockTitle(QPainter& painter, const QStyleOptionDockWidget& option, const QStyle& style,
                    const QWidget* widget) {
    const Ink ink(option.palette);
    painter.fillRect(option.rect, ink.raised);
    QRect words = style.subElementRect(QStyle::SE_DockWidgetTitleBarText, &option, widget);
    words.setLeft(option.rect.left() + 8);
    painter.save();
    QFont font = painter.font();
    font.setBold(true);
    painter.setFont(font);
    const QString shown = QFontMetrics(font).elidedText(option.title, Qt::ElideRight, words.width());
    style.drawItemText(&painter, words, Qt::AlignLeft | Qt::AlignVCenter, option.palette,
                       (option.state & QStyle::State_Enabled) != 0, shown, QPalette::WindowText);
    painter.restore();
}

QIcon titleButton(QStyle::StandardPixmap icon, const QWidget* widget) {
    const bool close = icon == QStyle::SP_TitleBarCloseButton;
    if ((!close && icon != QStyle::SP_TitleBarNormalButton) || widget == nullptr) {
        return {};
    }
    // The icon owns its engine.
    return QIcon(new TitleButtonIcon(close ? Mark::Close : Mark::Float, widget));
}

} // namespace aotscope::views::style
