#include "style/ink.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace aotscope::views {

Ink::Ink(const QPalette& palette)
    : background(palette.color(QPalette::Shadow)),
      panel(palette.color(QPalette::Window)),
      raised(palette.color(QPalette::Button)),
      line(palette.color(QPalette::Mid)),
      text(palette.color(QPalette::Active, QPalette::Text)),
      dimText(palette.color(QPalette::PlaceholderText)),
      accent(palette.color(QPalette::Link)),
      selection(palette.color(QPalette::Highlight)),
      hover(palette.color(QPalette::Midlight)) {}

void setWords(QLabel* label, Words words) {
    switch (words) {
    case Words::Plain:
        label->setForegroundRole(QPalette::WindowText);
        break;
    case Words::Dim:
        label->setForegroundRole(QPalette::PlaceholderText);
        break;
    case Words::Warning:
        label->setForegroundRole(QPalette::LinkVisited);
        break;
    case Words::Bad:
        label->setForegroundRole(QPalette::BrightText);
        break;
    case Words::Title: {
        QFont bold;
        bold.setBold(true);
        label->setFont(bold);
        break;
    }
    }
}

void paintBox(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& border,
              double radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(border.isValid() ? QPen(border, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    // Strokes of one pixel are centred on pixels.
    const double inset = border.isValid() ? 0.5 : 0;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

namespace {

/// In a unit square around the origin.
QPainterPath markPath(Mark mark) {
    QPainterPath path;
    const auto lines = [&path](std::initializer_list<QPointF> points) {
        path.moveTo(*points.begin());
        std::for_each(points.begin() + 1, points.end(),
                      [&path](const QPointF& point) { path.lineTo(point); });
    };
    switch (mark) {
    case Mark::Check:
        lines({{-0.33, 0.02}, {-0.1, 0.25}, {0.33, -0.24}});
        break;
    case Mark::Down:
        lines({{-0.32, -0.16}, {0, 0.16}, {0.32, -0.16}});
        break;
    case Mark::Up:
        lines({{-0.32, 0.16}, {0, -0.16}, {0.32, 0.16}});
        break;
    case Mark::Left:
        lines({{0.16, -0.32}, {-0.16, 0}, {0.16, 0.32}});
        break;
    case Mark::Right:
        lines({{-0.16, -0.32}, {0.16, 0}, {-0.16, 0.32}});
        break;
    case Mark::Close:
        lines({{-0.3, -0.3}, {0.3, 0.3}});
        lines({{-0.3, 0.3}, {0.3, -0.3}});
        break;
    case Mark::Float:
        path.addRect(-0.38, -0.14, 0.52, 0.52);
        lines({{-0.14, -0.38}, {0.38, -0.38}, {0.38, 0.14}});
        break;
    }
    return path;
}

} // namespace

void paintMark(QPainter& painter, Mark mark, const QRectF& rect, const QColor& color) {
    const double side = std::min(rect.width(), rect.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(rect.center());
    painter.scale(side, side);
    QPen pen(color, 1.4 / side);
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(markPath(mark));
    painter.restore();
}

} // namespace aotscope::views
