#pragma once

#include "contract/partition_snapshot.h"
#include "graph/graph_scene.h"
#include "passes/partition_options.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace aotscope::views {

/// A person's choices in a picture, and what they changed beside the partition without them: by box, so that
/// a closed group says how much of it is changed.
struct ChoiceMarks {
    struct Box {
        /// Nodes that a person forced.
        std::uint32_t save = 0;
        std::uint32_t recompute = 0;
        /// Values that are saved only because of the choices, and those that no longer are.
        std::uint32_t nowSaved = 0;
        std::uint32_t noLongerSaved = 0;

        [[nodiscard]] bool isForced() const { return save + recompute > 0; }
        [[nodiscard]] bool isChanged() const { return nowSaved + noLongerSaved > 0; }
    };
    /// By box; empty: none.
    std::vector<Box> ofBox;
    /// Sums over the whole graph.
    Box all;
    /// The engine has not answered these choices yet.
    bool pending = false;

    [[nodiscard]] const Box* tryBox(BoxId box) const {
        return box.index() < ofBox.size() ? &ofBox[box.index()] : nullptr;
    }
};
using ChoiceMarksPtr = std::shared_ptr<const ChoiceMarks>;

/// `shown` is the partition whose marks are shown, `plain` the one without a person's choices; each may be
/// null. Null if there is nothing to mark.
[[nodiscard]] ChoiceMarksPtr choiceMarks(const GraphScene& scene,
                                         const std::vector<passes::NodeChoice>& choices, bool pending,
                                         const session::PartitionSnapshot* shown,
                                         const session::PartitionSnapshot* plain);

/// "save", "recompute", "+ saved", "− saved"; for a group with numbers. Empty if the box has no mark.
[[nodiscard]] QString choiceText(const ChoiceMarks::Box& box, bool isGroup);

} // namespace aotscope::views
