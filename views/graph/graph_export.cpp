#include "graph/graph_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr double exportMargin = 16;
constexpr double largestSide = 16'384;
/// Qt's own reader refuses images past 128 MiB: what is written must open again.
constexpr double mostPixels = 3e7;
constexpr double exportScale = 2;

QByteArray toSvg(const PictureRequest& request) {
    const QRectF area = pictureArea(request);
    if (area.isEmpty()) {
        return {};
    }
    QByteArray svg;
    QBuffer buffer(&svg);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(request.title);
    generator.setSize(area.size().toSize());
    generator.setViewBox(QRectF(QPointF(), area.size()));
    generator.setResolution(96);
    QPainter painter(&generator);
    ScenePainter scenePainter;
    scenePainter.setScene(request.scene);
    scenePainter.paint(painter, request.look, QRectF(QPointF(), area.size()), area.topLeft(), 1);
    painter.end();
    return svg;
}

Picture toPng(const PictureRequest& request) {
    Picture picture;
    QBuffer buffer(&picture.bytes);
    buffer.open(QIODevice::WriteOnly);
    if (const QImage image = toImage(request, exportScale); image.isNull() || !image.save(&buffer, "PNG")) {
        return {};
    }
    if (const double scale = allowedScale(pictureArea(request).size(), exportScale); scale < exportScale) {
        picture.remark = QCoreApplication::translate(
                             "Picture", " (scaled to %1 %, as images end at %L2 pixels a side and %3 "
                                        "million in all; SVG has no such bound)")
                             .arg(scale * 100, 0, 'f', 0)
                             .arg(int(largestSide))
                             .arg(int(mostPixels / 1e6));
    }
    return picture;
}

} // namespace

QRectF pictureArea(const PictureRequest& request) {
    if (!request.scene) {
        return {};
    }
    QRectF area;
    if (request.look.only.empty()) {
        area = request.scene->bounds();
    }
    for (const std::uint32_t box : request.look.only) {
        area = area.united(request.scene->rect(BoxId(box)));
    }
    return area.isEmpty() ? QRectF()
                          : area.adjusted(-exportMargin, -exportMargin, exportMargin, exportMargin);
}

double allowedScale(const QSizeF& area, double wanted) {
    if (area.isEmpty()) {
        return wanted;
    }
    return std::min({wanted, largestSide / area.width(), largestSide / area.height(),
                     std::sqrt(mostPixels / (area.width() * area.height()))});
}

QImage toImage(const PictureRequest& request, double scale) {
    const QRectF area = pictureArea(request);
    if (area.isEmpty()) {
        return {};
    }
    const double zoom = allowedScale(area.size(), scale);
    const QSize size(std::max(1, int(area.width() * zoom)), std::max(1, int(area.height() * zoom)));
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) {
        return image;
    }
    QPainter painter(&image);
    ScenePainter scenePainter;
    scenePainter.setScene(request.scene);
    scenePainter.paint(painter, request.look, QRectF(QPointF(), QSizeF(size)), area.topLeft(), zoom);
    painter.end();
    return image;
}

Picture paintPicture(const PictureRequest& request, PictureFormat format) {
    return format == PictureFormat::Svg ? Picture{toSvg(request), {}} : toPng(request);
}

} // namespace aotscope::views
