#include "common/icons.h"

#include "common/theme.h"

#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include <memory>

namespace aotscope::views {

namespace {

/// Paints a one-coloured drawing in the theme's current colour, so that icons follow a theme change by
/// themselves.
class ThemedIconEngine : public QIconEngine {
public:
    ThemedIconEngine(std::shared_ptr<QSvgRenderer> drawing, const ThemeSource& theme)
        : m_drawing(std::move(drawing)), m_theme(theme) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        QPixmap picture = pixmap(rect.size() * ratio, mode, state);
        picture.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect.topLeft(), picture);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        const int side = std::min(size.width(), size.height());
        m_drawing->render(&painter,
                          QRectF((size.width() - side) / 2.0, (size.height() - side) / 2.0, side, side));
        QColor color = m_theme.theme().text;
        if (mode == QIcon::Disabled) {
            color = m_theme.theme().dimText;
            color.setAlphaF(0.5F);
        }
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        painter.fillRect(picture.rect(), color);
        return picture;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new ThemedIconEngine(*this); }

private:
    std::shared_ptr<QSvgRenderer> m_drawing;
    const ThemeSource& m_theme;
};

} // namespace

QIcon themedIcon(const QString& name, const ThemeSource& theme) {
    auto drawing = std::make_shared<QSvgRenderer>(QStringLiteral(":/aotscope/icons/%1.svg").arg(name));
    Q_ASSERT(drawing->isValid());
    // The icon owns its engine.
    return QIcon(new ThemedIconEngine(std::move(drawing), theme));
}

} // namespace aotscope::views
