#pragma once

#include "common/theme.h"
#include "graph/graph_scene.h"
#include "session/explore/split_fates.h"

#include <QColor>
#include <QString>

#include <memory>
#include <vector>

namespace aotscope::views {

/// What the colours of the boxes tell.
enum class ColorBy { Kind, DType, Bytes, Module, RunTime, Fate };

/// A colour for each box and what the colours mean.
struct Coloring {
    struct Entry {
        QColor color;
        QString label;
        /// Boxes of this colour.
        std::size_t count = 0;
    };
    ColorBy by = ColorBy::Kind;
    /// In the order of a legend. Never empty where there are boxes.
    std::vector<Entry> entries;
    /// Entry of each box.
    std::vector<std::uint16_t> entryOfBox;
    /// Said in the legend: what is missing and how to get it; empty: nothing.
    QString note;

    [[nodiscard]] const QColor& colorOf(BoxId box) const { return entries[entryOfBox[box.index()]].color; }
};
using ColoringPtr = std::shared_ptr<const Coloring>;

/// `run` may be null or of another graph; run times are then unknown. `marks` tells the fates of the nodes;
/// null: not known, or not yet.
[[nodiscard]] ColoringPtr makeColoring(const GraphScene& scene, ColorBy by, const Theme& theme,
                                       const session::RunSnapshot* run,
                                       const session::SplitMarksSnapshot* marks = nullptr);

/// `share` of `over` on `under`.
[[nodiscard]] QColor mix(const QColor& under, const QColor& over, double share);

} // namespace aotscope::views
