#include "graph/graph_export.h"

#include "base/progress.h"
#include "common/format.h"
#include "common/log_list.h"
#include "graph/png_file.h"

#include <QCoreApplication>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <utility>

namespace aotscope::views {
namespace {

constexpr double exportMargin = 16;
constexpr double largestSide = 16'384;
/// Qt's reader refuses images over 128 MiB, and an exported image must be readable.
constexpr double mostPixels = 3e7;
constexpr double exportScale = 2;

void writeSvg(const PictureRequest& request, QIODevice& file, base::Progress& progress) {
    const QRectF area = pictureArea(request);
    if (area.isEmpty()) {
        return;
    }
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setTitle(request.title);
    generator.setSize(area.size().toSize());
    generator.setViewBox(QRectF(QPointF(), area.size()));
    generator.setResolution(96);
    QPainter painter(&generator);
    ScenePainter scenePainter;
    scenePainter.setScene(request.scene);
    scenePainter.paint(painter, request.look, QRectF(QPointF(), area.size()), area.topLeft(), 1, &progress);
    // The text is generated; now it is written.
    progress.report("to disk", 0, 0);
    painter.end();
}

QString writePngPicture(const PictureRequest& request, QIODevice& file, base::Progress& progress) {
    const QImage image = toImage(request, exportScale, &progress);
    if (image.isNull() || progress.stopRequested()) {
        return {};
    }
    if (!writePng(image, file, progress)) {
        return {};
    }
    const double scale = allowedScale(pictureArea(request).size(), exportScale);
    if (scale >= exportScale) {
        return {};
    }
    return QCoreApplication::translate("Picture", " (scaled to %1 %: an image is limited to %L2 pixels a "
                                                  "side and %3 million in all; SVG has no such limit)")
        .arg(scale * 100, 0, 'f', 0)
        .arg(int(largestSide))
        .arg(int(mostPixels / 1e6));
}

} // namespace

QString exportName(const LogList& logs, const session::ArtifactReference& graph) {
    QString name = logs.nameOf(graph.log).isRank ? logs.textOf(graph) : referenceText(graph);
    for (const char separator : {'/', ':'}) {
        name.replace(QLatin1Char(separator), QLatin1Char('-'));
    }
    return name.replace(QLatin1Char(' '), QLatin1Char('_'));
}

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

QImage toImage(const PictureRequest& request, double scale, base::Progress* progress) {
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
    scenePainter.paint(painter, request.look, QRectF(QPointF(), QSizeF(size)), area.topLeft(), zoom,
                       progress);
    painter.end();
    return image;
}

MakeFile pictureFile(PictureRequest request, PictureFormat format) {
    return [request = std::move(request), format](QIODevice& file, base::Progress& progress) {
        if (format == PictureFormat::Png) {
            return writePngPicture(request, file, progress);
        }
        writeSvg(request, file, progress);
        return QString();
    };
}

} // namespace aotscope::views
