#pragma once

#include "layout/layout.h"

#include <QPointF>
#include <QRectF>

#include <vector>

class QPainterPath;

/// The shape of an edge or a band: cubic Bézier curves, as layout::Edge::path.
namespace aotscope::views {

[[nodiscard]] QRectF pathBounds(const std::vector<layout::Point>& path);
[[nodiscard]] double distanceToPath(const QPointF& point, const std::vector<layout::Point>& path);
[[nodiscard]] QPointF middleOfPath(const std::vector<layout::Point>& path);
/// Positions for a label in the visible `area`: the middle first, then more and more away from it.
[[nodiscard]] std::vector<QPointF> labelPlaces(const std::vector<layout::Point>& path, const QRectF& area);
/// `straight`: only from end to end, when zoomed far out.
void appendPath(QPainterPath& drawn, const std::vector<layout::Point>& path, bool straight);

} // namespace aotscope::views
