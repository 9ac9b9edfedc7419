#pragma once

#include "dispatch/handled_error.h"
#include "torch/kernels/plan_from_run.h"

#include "contract/rerun_region.h"

#include <set>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The inputs and outputs of some nodes in a run of their graph.
struct RegionValues {
    /// In the order of RerunRegion::inputs. An input that a node writes to is a copy with the elements from
    /// before.
    std::vector<c10::IValue> inputs;
    /// In the order of RerunRegion::outputs, as they were after the region's last node.
    std::vector<c10::IValue> outputs;
    /// Storages of `inputs` that the nodes write to, by the schemas of their operators.
    std::set<const c10::StorageImpl*> written;
    /// By position in RerunRegion::nodes: whether the run copied the result to the logged strides, so that
    /// later nodes see the layout of the trace.
    std::vector<bool> isLaidOutAgain;
    /// The state of the random generator before the first node, if one of them draws random numbers.
    at::Tensor generator;
    /// How the tensors lay that the graph has computed until then.
    TensorLayouts layouts;
    /// Whether nodes that do not belong to the region draw random numbers between its nodes.
    bool othersDraw = false;
};

/// Calls `work`. What it throws becomes a RunFailure with the first line of its message, behind the node that
/// `current` names then; Canceled passes.
template<typename Work>
void namingNode(const ir::Graph& graph, const ir::NodeId& current, Work&& work) {
    if (auto failed = failureOf("run.operator_failed", work, handledError)) {
        failed->message = firstLine(failed->message);
        if (current.valid()) {
            (void)addNode(*failed, graph.node(current));
        }
        throw RunFailure(*std::move(failed));
    }
}

/// Runs a graph up to the last node of a region. `inputs` is one value per placeholder. Throws RunFailure,
/// c10::Error, Canceled; rerun.stand_in for a node of the region whose operator is not registered here,
/// rerun.changes_storage for one that exchanges a tensor's memory.
[[nodiscard]] RegionValues runUpTo(const ir::Graph& graph, const session::RerunRegion& region,
                                   std::vector<c10::IValue> inputs, RunContext& context);

} // namespace aotscope::torch
