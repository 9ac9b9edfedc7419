#pragma once

#include "common/theme.h"
#include "explore/split_fates.h"
#include "graph/graph_scene.h"

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
        /// Number of nodes that it tells about, shown or in closed groups: opening a group changes no number.
        std::size_t count = 0;
        /// It stands for what is saved, or for what is recomputed: the legend needs no other entry for it.
        bool isSaved = false;
        bool isRecomputed = false;
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

/// By node id index: the kinds of a scene's nodes, where `Saved` is exactly what the partition saves; without
/// one (null, or of another graph) what the graph's own outputs and inputs say.
[[nodiscard]] std::vector<Category> categoriesWith(const GraphScene& scene,
                                                   const session::SplitMarksSnapshot* marks);

/// `run` may be null or of another graph; run times are unknown then. `marks` has the fates of the nodes;
/// null if there are none, or not yet.
[[nodiscard]] ColoringPtr makeColoring(const GraphScene& scene, ColorBy by, const Theme& theme,
                                       const session::RunSnapshot* run,
                                       const session::SplitMarksSnapshot* marks = nullptr);

/// `over` blended onto `under` with weight `share`.
[[nodiscard]] QColor mix(const QColor& under, const QColor& over, double share);

} // namespace aotscope::views
