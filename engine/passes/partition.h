#pragma once

#include "passes/partition_options.h"
#include "passes/partition_report.h"
#include "passes/pass_run.h"

#include "ir/graph.h"

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::passes {

/// A pair of saved-tensors hooks as traced for one saved tensor.
struct InlinedHook {
    /// The saved tensor's name in the forward before hooks were inlined.
    std::string saved;
    /// Takes the tensor; returns any nesting of tensors, symbolic integers and constants.
    ir::GraphPtr pack;
    /// Takes those values in order, with or without the constants; returns the tensor.
    ir::GraphPtr unpack;
};
AOTSCOPE_MEMBERS(InlinedHook, saved, pack, unpack)

/// A joint graph split into a forward and a backward graph.
struct Partition {
    /// The graph that was split, which the report refers to: after tensorifyFloats and partitionSubgraphs.
    ir::GraphPtr joint;
    /// The rules that this partition follows.
    PartitionRules rules;
    /// Returns the forward's outputs, then the saved values: tensors, then tensors that autograd's version
    /// check skips, then symbolic integers.
    ir::GraphPtr forward;
    /// Takes saved symbolic integers, saved tensors, then tangents.
    ir::GraphPtr backward;
    std::size_t forwardOutputs = 0;
    /// Names of the saved tensors and symbolic integers, in the order the forward returns them.
    std::vector<std::string> savedTensors;
    std::vector<std::string> savedSymbols;
    PartitionReport report;
    /// All FX names used while building each half, in order, including those of removed nodes, so that new
    /// nodes do not reuse them. Empty: the names in the graph.
    std::vector<std::string> forwardNames = {};
    std::vector<std::string> backwardNames = {};
    /// Inlined into the halves (passes/inline_hooks.h), in the order of the saved tensors; mostly empty.
    std::vector<InlinedHook> hooks = {};
    /// The halves before that; null where no hook was inlined.
    ir::GraphPtr forwardBeforeHooks = nullptr;
    ir::GraphPtr backwardBeforeHooks = nullptr;
    /// PartitionOptions::donatesBuffers
    bool donatesBuffers = true;
};

/// Splits a joint graph (inputs named primals_… and tangents_…). Follows torch 2.11,
/// torch/_functorch/partitioners.py: default_partition and min_cut_rematerialization_partition.
///
/// Errors: passes.not_joint (no output, or no inputs of the forward), passes.no_cut (the backward needs a
/// value that can be neither saved nor recomputed; the notes list the constraints on the path),
/// passes.invalid_output (a forward output depends on the backward; names it), passes.not_a_tensor,
/// passes.impure_recompute, passes.no_such_node (a choice names an unknown node), passes.unpaired_subgraph,
/// passes.recomputed_effect,
/// passes.memory_budget (outside 0 to 1, several in the program, or one for a part of the forward),
/// passes.weights_too_large; passes.broken_graph; session.canceled.
[[nodiscard]] base::Result<Partition> partitionJointGraph(const ir::GraphPtr& joint,
                                                          const PartitionOptions& options,
                                                          base::Progress progress = {},
                                                          const PassObserver& observer = {});

/// Positions, among the backward's inputs, of the saved tensors that the backward may overwrite: no input or
/// output of the forward and no output of the backward shares their memory. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: collect_bw_donated_buffer_idxs. None where
/// `donatesBuffers` is off.
[[nodiscard]] std::vector<std::size_t> donatedBuffers(const Partition& partition);
/// The same wherever `donatesBuffers` is off, too: hooks are inlined for what could be donated.
[[nodiscard]] std::vector<std::size_t> donatableBuffers(const Partition& partition);

} // namespace aotscope::passes
