#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

/// Which half needs each node, by position. Follows torch 2.11, torch/_functorch/partitioners.py: NodeInfo.
struct NodeClasses {
    /// Primals, then the forward's seeds.
    std::vector<Index> inputs;
    std::vector<bool> requiredForward;
    std::vector<bool> requiredBackward;
    /// Those of `requiredBackward` that depend on a tangent, so that only the backward can compute them. The
    /// others are returned by the backward but can be computed in the forward, and may be saved.
    std::vector<bool> tangentsClosure;
    /// By position: rank among the required forward nodes; -1 for the others (get_fw_order).
    std::vector<std::int32_t> forwardOrder;
    std::vector<bool> staticInput;
    /// Inputs with gradients that are overwritten after the forward has returned: the graph returns their new
    /// values and works on clones of them (aot_runtime_epilogue_input_mutation in torch 2.15).
    std::vector<bool> overwrittenInput;
    bool anyRequiredBackward = false;
};

/// Follows torch 2.11, torch/_functorch/partitioners.py: classify_nodes. Errors: passes.invalid_output.
[[nodiscard]] base::Result<NodeClasses> classifyNodes(const JointProgram& program,
                                                      const PartitionOptions& options);

/// Tags values MustSave before partitioning: a value that the next checkpointed region reads, collectives,
/// results of effectful operators, and what the forward copies into an input that the backward mutates too.
/// Follows torch 2.11, torch/_functorch/partitioners.py: cleanup_recompute_tags, force_save_collectives,
/// force_save_effectful_ops, force_save_bw_mutation_src. Errors: passes.recomputed_effect.
[[nodiscard]] base::Result<void> forceSaves(JointProgram& program, const PartitionOptions& options);

[[nodiscard]] bool hasRecomputableNodes(const JointProgram& program);
[[nodiscard]] bool hasRecomputableRandom(const JointProgram& program);

} // namespace aotscope::passes
