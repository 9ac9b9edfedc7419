#pragma once

#include "common/write_file.h"
#include "graph/scene_painter.h"

#include <QImage>

namespace aotscope::views {

class LogList;

/// A picture to write: the scene as it looks, whole or the boxes in `look.only`. Holds no widget, so that it
/// can be painted on another thread.
struct PictureRequest {
    GraphScenePtr scene;
    SceneLook look;
    /// Of what it is, for the SVG's title.
    QString title;
};

/// The part of the scene a request shows; empty: nothing.
[[nodiscard]] QRectF pictureArea(const PictureRequest& request);
/// The scale that is used when `wanted` would make an image larger than 16,384 pixels a side or 30 million
/// in all.
[[nodiscard]] double allowedScale(const QSizeF& area, double wanted);
/// Null when there is nothing to paint.
[[nodiscard]] QImage toImage(const PictureRequest& request, double scale, base::Progress* progress = nullptr);

/// "rank3-0-0_joint", to which an ending is added: graphs of several ranks are files beside each other.
[[nodiscard]] QString exportName(const LogList& logs, const session::ArtifactReference& graph);

enum class PictureFormat { Svg, Png };

/// Paints at twice the size on screen, for sharpness, or as large as an image may be: of the latter its
/// remark tells. Writes nothing when there is nothing to paint.
[[nodiscard]] MakeFile pictureFile(PictureRequest request, PictureFormat format);

} // namespace aotscope::views
