#pragma once

#include "explore/split_fates.h"
#include "graph/spatial_index.h"
#include "layout/split_marks.h"

#include <QPointF>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>

namespace aotscope::views {

/// What a partition does with the boxes of a scene, as the engine answered (session::MarkSplit), prepared for
/// drawing and picking. Immutable.
class PartitionMarks {
public:
    explicit PartitionMarks(session::SplitMarksSnapshotPtr answer);

    [[nodiscard]] const session::SplitMarksSnapshot& answer() const { return *m_answer; }
    [[nodiscard]] const layout::SplitMarks& split() const { return m_answer->marks; }
    /// The joint graph cannot be split here; the marks are those of the logged halves.
    [[nodiscard]] bool areLogged() const { return m_answer->split == nullptr; }
    /// By index in split().bands.
    [[nodiscard]] const SpatialIndex& bands() const { return m_bands; }
    /// The band within `distance` of a point of the scene.
    [[nodiscard]] std::optional<std::size_t> bandAt(const QPointF& point, double distance) const;

private:
    session::SplitMarksSnapshotPtr m_answer;
    SpatialIndex m_bands;
};
using PartitionMarksPtr = std::shared_ptr<const PartitionMarks>;

/// "512 KiB", or with hooks "512 KiB → 128 KiB"; empty for a value without bytes, such as a symbol.
[[nodiscard]] QString storedBytesText(std::int64_t bytes, const std::optional<std::int64_t>& stored);

} // namespace aotscope::views
