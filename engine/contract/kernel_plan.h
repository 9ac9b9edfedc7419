#pragma once

#include "contract/snapshots.h"

#include "kernels/fusion_plan.h"

#include <memory>

namespace aotscope::session {

/// Which nodes of a graph become one kernel each, with the kernels' texts.
struct KernelPlanSnapshot {
    GraphSnapshotPtr graph;
    /// The values of symbols that the kernels are written for; others have the graph's hints.
    ir::SymbolBindings symbols;
    kernels::FusionPlan plan;
    /// Which kernel a person who goes through the graph is in at each node.
    kernels::KernelOfNode kernelOf = {};
};
using KernelPlanSnapshotPtr = std::shared_ptr<const KernelPlanSnapshot>;

} // namespace aotscope::session
