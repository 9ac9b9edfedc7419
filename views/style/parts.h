#pragma once

#include <QIcon>
#include <QRect>
#include <QSize>
#include <QStyle>

class QPainter;
class QPalette;
class QStyleOption;
class QStyleOptionButton;
class QStyleOptionComboBox;
class QStyleOptionDockWidget;
class QStyleOptionFrame;
class QStyleOptionHeader;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionTab;
class QWidget;

/// What WindowStyle paints and measures, by kind of widget. Rectangles and sizes are in logical pixels; all
/// colours come from the option's palette.
namespace aotscope::views::style {

// Buttons (buttons.cpp).
void paintPushButton(QPainter& painter, const QStyleOptionButton& option);
void paintToolButton(QPainter& painter, const QStyleOption& option);
void paintCheckBox(QPainter& painter, const QStyleOption& option);

// Fields (fields.cpp).
void paintLineEdit(QPainter& painter, const QStyleOptionFrame& option);
void paintComboBox(QPainter& painter, const QStyleOptionComboBox& option);
/// The current entry, elided if it is longer than the box.
void paintComboBoxLabel(QPainter& painter, const QStyleOptionComboBox& option, const QStyle& style,
                        const QWidget* widget);
[[nodiscard]] QRect comboBoxPart(const QStyleOptionComboBox& option, QStyle::SubControl part);

// Menus and the menu bar (menus.cpp).
void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                      const QWidget* widget);
void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                   const QWidget* widget);
[[nodiscard]] QSize menuItemSize(const QStyleOptionMenuItem& option, const QSize& contents);

// Scroll bars, progress bars, tabs, separators (bars.cpp).
void paintScrollBar(QPainter& painter, const QStyleOptionSlider& option);
[[nodiscard]] QRect scrollBarPart(const QStyleOptionSlider& option, QStyle::SubControl part);
void paintProgress(QPainter& painter, const QStyleOptionProgressBar& option);
void paintTab(QPainter& painter, const QStyleOptionTab& option);
/// The palette for a tab's text.
[[nodiscard]] QPalette tabPalette(const QStyleOptionTab& option);
/// Between parts that a person can resize.
void paintSeparator(QPainter& painter, const QStyleOption& option);

// Rows and their headers (items.cpp).
void paintItem(QPainter& painter, const QStyleOption& option, const QWidget* widget);
/// A header section; `base` draws its text.
void paintHeader(QPainter& painter, const QStyleOptionHeader& option, const QStyle& base,
                 const QWidget* widget);
[[nodiscard]] QSize headerSize(const QStyleOptionHeader& option);
/// The border of a scroll area, which shows the focus.
void paintFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget);

// Docks (docks.cpp).
void paintDockTitle(QPainter& painter, const QStyleOptionDockWidget& option, const QStyle& style,
                    const QWidget* widget);
/// The icon of a button in a dock's title, painted in `widget`'s current colours; null for other icons.
[[nodiscard]] QIcon titleButton(QStyle::StandardPixmap icon, const QWidget* widget);

} // namespace aotscope::views::style
