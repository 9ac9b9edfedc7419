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

/// What WindowStyle paints and measures, by kind of widget. Rectangles and sizes are logical pixels; every
/// colour is of the option's palette.
namespace aotscope::views::style {

// Buttons (buttons.cpp).
void paintPushButton(QPainter& painter, const QStyleOptionButton& option);
void paintToolButton(QPainter& painter, const QStyleOption& option);
void paintCheckBox(QPainter& painter, const QStyleOption& option);

// What is typed into and chosen from (fields.cpp).
void paintLineEdit(QPainter& painter, const QStyleOptionFrame& option);
void paintComboBox(QPainter& painter, const QStyleOptionComboBox& option);
/// The chosen entry, with "…" where it is longer than its box.
void paintComboBoxLabel(QPainter& painter, const QStyleOptionComboBox& option, const QStyle& style,
                        const QWidget* widget);
[[nodiscard]] QRect comboBoxPart(const QStyleOptionComboBox& option, QStyle::SubControl part);

// Menus and their bar (menus.cpp).
void paintMenuBarItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                      const QWidget* widget);
void paintMenuItem(QPainter& painter, const QStyleOptionMenuItem& option, const QStyle& style,
                   const QWidget* widget);
[[nodiscard]] QSize menuItemSize(const QStyleOptionMenuItem& option, const QSize& contents);

// Bars that move, grow or lead elsewhere (bars.cpp).
void paintScrollBar(QPainter& painter, const QStyleOptionSlider& option);
[[nodiscard]] QRect scrollBarPart(const QStyleOptionSlider& option, QStyle::SubControl part);
void paintProgress(QPainter& painter, const QStyleOptionProgressBar& option);
void paintTab(QPainter& painter, const QStyleOptionTab& option);
/// The colours a tab's words are written in.
[[nodiscard]] QPalette tabPalette(const QStyleOptionTab& option);
/// Between parts that a person can resize.
void paintSeparator(QPainter& painter, const QStyleOption& option);

// Rows and their headers (items.cpp).
void paintItem(QPainter& painter, const QStyleOption& option, const QWidget* widget);
/// A section of a header; `base` writes its words.
void paintHeader(QPainter& painter, const QStyleOptionHeader& option, const QStyle& base,
                 const QWidget* widget);
[[nodiscard]] QSize headerSize(const QStyleOptionHeader& option);
/// The line around what can scroll, which tells where the keyboard is.
void paintFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget);

// Docks (docks.cpp).
void paintDockTitle(QPainter& painter, const QStyleOptionDockWidget& option, const QStyle& style,
                    const QWidget* widget);
/// A drawing of a title's button, in the colours that `widget` has whenever it is painted; null for others.
[[nodiscard]] QIcon titleButton(QStyle::StandardPixmap icon, const QWidget* widget);

} // namespace aotscope::views::style
