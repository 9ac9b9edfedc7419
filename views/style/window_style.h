#pragma once

#include <QProxyStyle>

namespace aotscope::views {

/// The look of the window's widgets: dense, on a grid of 4 pixels, with shades instead of borders. Everything
/// else looks like Fusion.
///
/// A QStyle and not a style sheet: for a theme change Qt would polish every widget again with the new sheet
/// and block the window. This style paints from the palette (see Ink), which changes in a millisecond.
class WindowStyle : public QProxyStyle {
    Q_OBJECT

public:
    WindowStyle();

    /// Makes it the application's style; the application owns it. Call once, after creating the application.
    static void install();

    void polish(QWidget* widget) override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                         const QWidget* widget) const override;
    [[nodiscard]] QRect subElementRect(SubElement element, const QStyleOption* option,
                                       const QWidget* widget) const override;
    [[nodiscard]] QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                       SubControl part, const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option,
                                  const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* result) const override;
    [[nodiscard]] QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                                     const QWidget* widget) const override;
    using QProxyStyle::polish;
};

} // namespace aotscope::views
