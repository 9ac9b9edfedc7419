#pragma once

#include <QPalette>
#include <QRectF>

class QLabel;
class QPainter;

namespace aotscope::views {

/// The theme's colours as a widget's palette holds them (Theme::palette puts them there). Everything is
/// painted from the palette alone, so that a change of theme is a change of palette and nothing is made
/// again.
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

/// What words are to a person, and so how they look.
enum class Words {
    Plain,
    /// Beside the matter: counts, hints, names of fields.
    Dim,
    Warning,
    Bad,
    /// Names what follows; bold.
    Title,
};
/// Writes a label so, in the colours of whatever theme is in force.
void setWords(QLabel* label, Words words);

/// A box of the window: filled and bordered, both where valid, its corners round. Within `rect`, pixels.
void paintBox(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& border,
              double radius = 4);

/// Small drawings, in the middle of `rect`, in strokes of one colour.
enum class Mark { Check, Down, Up, Left, Right, Close, Float };
void paintMark(QPainter& painter, Mark mark, const QRectF& rect, const QColor& color);

} // namespace aotscope::views
