#pragma once

#include "passes/partition_options.h"
#include "passes/partition_report.h"

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::passes {

/// A joint graph in two halves, as torch._functorch.partitioners leaves them.
struct Partition {
    /// What was split, which the report speaks of: the graph given, or with tensors in the place of floats
    /// that changed between calls, and with calls of shared subgraphs changed to those of their halves.
    ir::GraphPtr joint;
    /// Returns the forward's outputs, then what is saved: tensors, then tensors that autograd does not check
    /// for changes, then symbolic integers.
    ir::GraphPtr forward;
    /// Takes saved symbolic integers, saved tensors, then tangents.
    ir::GraphPtr backward;
    std::size_t forwardOutputs = 0;
    /// Names of the saved tensors and symbolic integers, in the order the forward returns them.
    std::vector<std::string> savedTensors;
    std::vector<std::string> savedSymbols;
    PartitionReport report;
};

/// Splits a frozen joint graph (inputs named primals_… and tangents_…).
///
/// Errors: passes.not_joint (no output, no inputs of either half), passes.no_cut (a value is needed by the
/// backward that can neither be saved nor computed again; the notes list the constraints on the way),
/// passes.invalid_output (a forward output depends on the backward; names it), passes.not_a_tensor,
/// passes.impure_recompute, passes.no_such_node (a choice names a node that is not there),
/// passes.unpaired_subgraph, passes.memory_budget (outside 0 to 1), passes.weights_too_large;
/// session.canceled.
[[nodiscard]] base::Result<Partition>
partitionJointGraph(const ir::GraphPtr& joint, const PartitionOptions& options, base::Progress progress = {});

/// Positions among the backward's inputs of saved tensors that it may overwrite: no other tensor that anybody
/// still holds shares their memory (collect_bw_donated_buffer_idxs).
[[nodiscard]] std::vector<std::size_t> donatedBuffers(const Partition& partition);

} // namespace aotscope::passes
