#include "values/value_canvas.h"

#include "common/format.h"
#include "style/ink.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace {

constexpr int scaleHeight = 34;

QColor blend(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

} // namespace

ValueCanvas::ValueCanvas(Shows shows, QWidget* parent) : QWidget(parent), m_shows(shows) {
    setObjectName(shows == Shows::HeatMap ? QStringLiteral("heatMap") : QStringLiteral("valueImage"));
    setAccessibleName(shows == Shows::HeatMap ? tr("Heat map of the plane") : tr("The tensor as an image"));
    setMinimumSize(160, 96);
}

void ValueCanvas::setValue(const session::ValueSnapshotPtr& value) {
    m_value = value;
    QString description;
    if (value && m_shows == Shows::HeatMap) {
        description = tr("%1 rows and %2 columns, from %3 to %4")
                          .arg(value->planeRows)
                          .arg(value->planeColumns)
                          .arg(formatNumber(value->heatMap.least), formatNumber(value->heatMap.greatest));
    } else if (value && value->image) {
        description = tr("%1 by %2 pixels, %3")
                          .arg(value->image->width)
                          .arg(value->image->height)
                          .arg(formatCount(value->image->channels, "channel", "channels"));
    }
    setAccessibleDescription(description);
    draw();
}

/// From the background to the accent; with both signs zero is the background and negative numbers are orange.
QColor ValueCanvas::colorOf(double number) const {
    const Ink ink(palette());
    if (!std::isfinite(number)) {
        return palette().color(QPalette::BrightText);
    }
    const session::HeatMap& map = m_value->heatMap;
    if (map.least < 0 && map.greatest > 0) {
        const double most = std::max(-map.least, map.greatest);
        const QColor& end = number < 0 ? palette().color(QPalette::LinkVisited) : ink.accent;
        return blend(ink.background, end, std::min(std::abs(number) / most, 1.0));
    }
    const double width = map.greatest - map.least;
    return blend(ink.background, ink.accent, width > 0 ? (number - map.least) / width : 0.5);
}

void ValueCanvas::draw() {
    m_picture = {};
    if (m_value && m_shows == Shows::HeatMap && !m_value->heatMap.cells.empty()) {
        const session::HeatMap& map = m_value->heatMap;
        m_picture = QImage(static_cast<int>(map.columns), static_cast<int>(map.rows), QImage::Format_RGB32);
        for (std::size_t row = 0; row < map.rows; ++row) {
            for (std::size_t column = 0; column < map.columns; ++column) {
                m_picture.setPixelColor(static_cast<int>(column), static_cast<int>(row),
                                        colorOf(map.cells[row * map.columns + column]));
            }
        }
    } else if (m_value && m_shows == Shows::Image && m_value->image) {
        const session::ValueImage& image = *m_value->image;
        m_picture =
            QImage(static_cast<int>(image.width), static_cast<int>(image.height), QImage::Format_ARGB32);
        for (std::size_t i = 0; i < image.width * image.height; ++i) {
            const std::uint8_t* pixel = image.pixels.data() + i * image.channels;
            const QColor color = image.channels == 1 ? QColor(pixel[0], pixel[0], pixel[0])
                                                     : QColor(pixel[0], pixel[1], pixel[2],
                                                              image.channels == 4 ? pixel[3] : 255);
            m_picture.setPixelColor(static_cast<int>(i % image.width), static_cast<int>(i / image.width),
                                    color);
        }
    }
    update();
}

QRect ValueCanvas::pictureRect() const {
    const int below = m_shows == Shows::HeatMap ? scaleHeight : 0;
    const QRect area = rect().adjusted(8, 8, -8, -8 - below);
    QSize size = m_picture.size().scaled(area.size(), Qt::KeepAspectRatio);
    // A vector would be a hairline.
    size = size.expandedTo({std::min(8, area.width()), std::min(8, area.height())});
    return {area.topLeft(), size};
}

QString ValueCanvas::placeText(QPoint place) const {
    const QRect area = pictureRect();
    if (m_picture.isNull() || !area.contains(place)) {
        return {};
    }
    const int x = (place.x() - area.left()) * m_picture.width() / area.width();
    const int y = (place.y() - area.top()) * m_picture.height() / area.height();
    if (m_shows == Shows::Image) {
        return tr("pixel [%1, %2]").arg(y).arg(x);
    }
    const session::HeatMap& map = m_value->heatMap;
    const double cell = map.cells[static_cast<std::size_t>(y) * map.columns + static_cast<std::size_t>(x)];
    const auto rows = static_cast<std::int64_t>(map.rows);
    const auto columns = static_cast<std::int64_t>(map.columns);
    const bool isOne = rows == m_value->planeRows && columns == m_value->planeColumns;
    return tr("[%1, %2]: %3%4")
        .arg(y * m_value->planeRows / rows)
        .arg(x * m_value->planeColumns / columns)
        .arg(std::isfinite(cell) ? formatNumber(cell) : tr("not finite"), isOne ? QString() : tr(" (mean)"));
}

bool ValueCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), placeText(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

void ValueCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        draw();
    }
    QWidget::changeEvent(event);
}

void ValueCanvas::paintScale(QPainter& painter) const {
    const session::HeatMap& map = m_value->heatMap;
    const Ink ink(palette());
    const QRect bar(8, height() - scaleHeight, std::min(width() - 16, 320), 10);
    for (int x = 0; x < bar.width(); ++x) {
        const double share = bar.width() > 1 ? static_cast<double>(x) / (bar.width() - 1) : 0;
        painter.fillRect(bar.left() + x, bar.top(), 1, bar.height(),
                         colorOf(map.least + share * (map.greatest - map.least)));
    }
    painter.setPen(ink.line);
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    painter.setPen(ink.dimText);
    const QRect labels(bar.left(), bar.bottom() + 2, bar.width(), fontMetrics().height());
    painter.drawText(labels, Qt::AlignLeft, formatNumber(map.least));
    painter.drawText(labels, Qt::AlignRight, formatNumber(map.greatest));
}

void ValueCanvas::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Ink ink(palette());
    if (m_picture.isNull()) {
        painter.setPen(ink.dimText);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         m_shows == Shows::Image
                             ? tr("An image needs two sizes of at least 4, and 1, 3 or 4 channels")
                             : tr("nothing to draw"));
        return;
    }
    const QRect area = pictureRect();
    painter.drawImage(area, m_picture);
    painter.setPen(ink.line);
    painter.drawRect(area.adjusted(-1, -1, 0, 0));
    if (m_shows == Shows::HeatMap) {
        paintScale(painter);
    }
}

} // namespace aotscope::views
