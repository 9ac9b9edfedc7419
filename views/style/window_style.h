#pragma once

#include <QProxyStyle>

namespace aotscope::views {

/// How the widgets of the window look: calm and dense, on a grid of 4 pixels, with shades in place of
/// borders. What it says nothing of looks as Fusion does.
///
/// A style of our own and no style sheet: Qt would polish every widget again for the sheet of another theme,
/// and hold the window meanwhile. This one paints from the palette (see Ink), which changes in a millisecond.
class WindowStyle : public QProxyStyle {
    Q_OBJECT

public:
    WindowStyle();

    /// Makes it the style of the application, which owns it. To be called once there is an application.
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
