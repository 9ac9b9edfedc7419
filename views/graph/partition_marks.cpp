#include "graph/partition_marks.h"

#include "base/mapped.h"
#include "common/format.h"
#include "graph/edge_shape.h"

#include <utility>
#include <vector>

namespace aotscope::views {

PartitionMarks::PartitionMarks(session::SplitMarksSnapshotPtr answer) : m_answer(std::move(answer)) {
    auto places =
        base::mapped(split().bands, [&](const layout::Band& band) { return pathBounds(band.path); });
    m_bands = SpatialIndex(std::move(places));
}

std::optional<std::size_t> PartitionMarks::bandAt(const QPointF& point, double distance) const {
    std::optional<std::size_t> found;
    double best = 0;
    // A wide band is as easy to hit as it looks.
    constexpr double widest = 6;
    const double reach = distance + widest;
    m_bands.forEachIn(
        QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach), [&](std::uint32_t item) {
            const layout::Band& band = split().bands[item];
            const double away = distanceToPath(point, band.path) - layout::bandWidth(band.bytes) / 2;
            if (away <= distance && (!found || away < best)) {
                best = away;
                found = item;
            }
        });
    return found;
}

QString storedBytesText(std::int64_t bytes, const std::optional<std::int64_t>& stored) {
    if (bytes <= 0 && !stored) {
        return {};
    }
    return stored ? formatBytes(bytes) + QStringLiteral(" → ") + formatBytes(*stored) : formatBytes(bytes);
}

} // namespace aotscope::views
