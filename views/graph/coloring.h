#pragma once

#include "common/theme.h"
#include "graph/graph_scene.h"
#include "session/explore/split_fates.h"

#include <QColor>
#include <QString>

#include <memory>
#include <vector>

namespace aotscope::views {

/// What box colours represent.
enum class ColorBy { Kind, DType, Bytes, Module, RunTime, Fate };

/// A colour for each box, and the legend.
struct Coloring {
    struct Entry {
        QColor color;
        QString label;
        /// Number of boxes in this colour.
        std::size_t count = 0;
    };
    ColorBy by = ColorBy::Kind;
    /// In legend order. Not empty if there are boxes.
    std::vector<Entry> entries;
    /// Index of each box's entry.
    std::vector<std::uint16_t> entryOfBox;
    /// A hint for the legend on what is missing and how to get it; usually empty.
    QString note;

    [[nodiscard]] const QColor& colorOf(BoxId box) const { return entries[entryOfBox[box.index()]].color; }
};
using ColoringPtr = std::shared_ptr<const Coloring>;

/// `run` may be null or of another graph; run times are unknown then. `marks` has the fates of the nodes;
/// null if there are none, or not yet.
[[nodiscard]] ColoringPtr makeColoring(const GraphScene& scene, ColorBy by, const Theme& theme,
                                       const session::RunSnapshot* run,
                                       const session::SplitMarksSnapshot* marks = nullptr);

/// `over` blended onto `under` with weight `share`.
[[nodiscard]] QColor mix(const QColor& under, const QColor& over, double share);

} // namespace aotscope::views
