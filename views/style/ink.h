#pragma once

#include <QPalette>
#include <QRectF>

class QLabel;
class QPainter;

namespace aotscope::views {

/// The theme's colours, read from a widget's palette (set by Theme::palette). All painting uses the palette
/// alone, so that a theme change only changes palettes and creates nothing again.
struct Ink {
    explicit Ink(const QPalette& palette);

    QColor background;
    QColor panel;
    QColor raised;
    QColor line;
    QColor text;
    QColor dimText;
    QColor accent;
    QColor selection;
    QColor hover;
};

/// The role of a text, which determines its look.
enum class Words {
    Plain,
    /// Secondary: counts, hints, field names.
    Dim,
    Warning,
    Bad,
    /// A heading; bold.
    Title,
};
/// Gives a label that look; it follows theme changes.
void setWords(QLabel* label, Words words);

/// A box with round corners, filled and bordered with each colour that is valid. `rect` is in pixels.
void paintBox(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& border,
              double radius = 4);

/// Small line drawings in one colour, centred in `rect`.
enum class Mark { Check, Down, Up, Left, Right, Close, Float };
void paintMark(QPainter& painter, Mark mark, const QRectF& rect, const QColor& color);

} // namespace aotscope::views
