#pragma once

#include "layout/layout.h"

#include <vector>

namespace aotscope::layout {

/// One of the graphs that a program becomes, one after the other.
struct Stage {
    ir::GraphPtr graph;
    ir::ModulePaths modules;
    /// By node id index: the node of the stage before that this one stands for; invalid: none. Of the first
    /// stage nothing.
    std::vector<ir::NodeId> partner;
};

/// Lays out stages together, so that going from one to the next only nodes appear and disappear: nodes that
/// stand for each other have the same place in every stage, and no box lies where a box of another stage
/// does. Groups are those of all stages together; a group without nodes in a stage is left out there. One
/// layout a stage. Errors: session.canceled only.
[[nodiscard]] base::Result<std::vector<LayoutPtr>>
layOutStages(const std::vector<Stage>& stages, const LayoutOptions& options, base::Progress progress = {});

} // namespace aotscope::layout
