#pragma once

#include "common/write_file.h"
#include "graph/scene_painter.h"

#include <QImage>

namespace aotscope::views {

class LogList;

/// A picture to export: the whole scene as it looks, or the boxes in `look.only`. Uses no widget, so that
/// another thread can paint it.
struct PictureRequest {
    GraphScenePtr scene;
    SceneLook look;
    /// The graph's title, written into the SVG.
    QString title;
};

/// The area of the scene that a request covers; empty: nothing.
[[nodiscard]] QRectF pictureArea(const PictureRequest& request);
/// `wanted`, reduced if the image would exceed 16,384 pixels a side or 30 million in all.
[[nodiscard]] double allowedScale(const QSizeF& area, double wanted);
/// Null if there is nothing to paint.
[[nodiscard]] QImage toImage(const PictureRequest& request, double scale, base::Progress* progress = nullptr);

/// A file name without extension, "rank3-0-0_joint". Includes the rank, so that graphs of several ranks get
/// different files.
[[nodiscard]] QString exportName(const LogList& logs, const session::ArtifactReference& graph);

enum class PictureFormat { Svg, Png };

/// Paints at twice the screen size for sharpness, or at the largest allowed size, and then says so in the
/// remark. Writes nothing if there is nothing to paint.
[[nodiscard]] MakeFile pictureFile(PictureRequest request, PictureFormat format);

} // namespace aotscope::views
