#include "graph/edge_shape.h"

#include <QLineF>
#include <QPainterPath>

#include <algorithm>

namespace aotscope::views {
namespace {

QPointF scenePoint(const layout::Point& point) {
    return {point.x, point.y};
}

double distanceToSegment(const QPointF& point, const QPointF& from, const QPointF& to) {
    const QPointF along = to - from;
    const double length2 = QPointF::dotProduct(along, along);
    const double t =
        length2 > 0 ? std::clamp(QPointF::dotProduct(point - from, along) / length2, 0.0, 1.0) : 0;
    return QLineF(point, from + t * along).length();
}

QPointF bezierPoint(const layout::Point* p, double t) {
    const double s = 1 - t;
    const double a = s * s * s;
    const double b = 3 * s * s * t;
    const double c = 3 * s * t * t;
    const double d = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

} // namespace

QRectF pathBounds(const std::vector<layout::Point>& path) {
    if (path.empty()) {
        return {};
    }
    double left = path.front().x;
    double right = left;
    double top = path.front().y;
    double bottom = top;
    for (const layout::Point& point : path) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        top = std::min(top, point.y);
        bottom = std::max(bottom, point.y);
    }
    return {left, top, right - left, bottom - top};
}

double distanceToPath(const QPointF& point, const std::vector<layout::Point>& path) {
    constexpr int steps = 12;
    double best = 1e30;
    for (std::size_t i = 0; i + 3 < path.size(); i += 3) {
        QPointF before = bezierPoint(&path[i], 0);
        for (int step = 1; step <= steps; ++step) {
            const QPointF after = bezierPoint(&path[i], double(step) / steps);
            best = std::min(best, distanceToSegment(point, before, after));
            before = after;
        }
    }
    return best;
}

QPointF middleOfPath(const std::vector<layout::Point>& path) {
    const std::size_t segments = path.size() < 4 ? 0 : (path.size() - 1) / 3;
    if (segments == 0) {
        return path.empty() ? QPointF() : scenePoint(path.front());
    }
    const std::size_t at = segments / 2 * 3;
    return segments % 2 == 0 ? scenePoint(path[at]) : bezierPoint(&path[at], 0.5);
}

std::vector<QPointF> labelPlaces(const std::vector<layout::Point>& path, const QRectF& area) {
    constexpr int samples = 16;
    const QPointF middle = middleOfPath(path);
    std::vector<QPointF> places{middle};
    for (std::size_t i = 0; i + 3 < path.size(); i += 3) {
        for (int k = 1; k < samples; ++k) {
            places.push_back(bezierPoint(&path[i], double(k) / samples));
        }
    }
    std::erase_if(places, [&](const QPointF& place) { return !area.contains(place); });
    std::ranges::stable_sort(places, {},
                             [&](const QPointF& place) { return QLineF(middle, place).length(); });
    return places;
}

void appendPath(QPainterPath& drawn, const std::vector<layout::Point>& path, bool straight) {
    if (path.empty()) {
        return;
    }
    drawn.moveTo(scenePoint(path.front()));
    if (straight) {
        drawn.lineTo(scenePoint(path.back()));
        return;
    }
    for (std::size_t i = 1; i + 2 < path.size(); i += 3) {
        drawn.cubicTo(scenePoint(path[i]), scenePoint(path[i + 1]), scenePoint(path[i + 2]));
    }
}

} // namespace aotscope::views
