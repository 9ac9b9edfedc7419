#pragma once

#include "layout/layout.h"

#include <vector>

namespace aotscope::layout {

/// One graph in a sequence of transformations of a program.
struct Stage {
    ir::GraphPtr graph;
    ir::ModulePaths modules;
    /// By node id index: the corresponding node of the previous stage; invalid: none.
    std::vector<ir::NodeId> partner;
};

/// Lays out stages together, so that from one to the next nodes only appear and disappear: corresponding
/// nodes have the same position in every stage, and different nodes never have the same position. Groups are
/// computed for all stages together; a stage omits groups without nodes. Returns one layout per stage.
/// Errors: session.canceled only.
[[nodiscard]] base::Result<std::vector<LayoutPtr>>
layOutStages(const std::vector<Stage>& stages, const LayoutOptions& options, base::Progress progress = {});

} // namespace aotscope::layout
