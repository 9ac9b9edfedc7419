#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

/// NodeInfo of the wheel: who needs what, by position.
struct NodeClasses {
    /// Primals, then the forward's seeds.
    std::vector<Index> inputs;
    std::vector<bool> requiredForward;
    std::vector<bool> requiredBackward;
    /// Of those, what cannot be had before the backward runs: made from a tangent. The others are returned by
    /// the backward but known after the forward, and may be saved.
    std::vector<bool> tangentsClosure;
    /// Positions of the required forward nodes in order; -1 for the others.
    std::vector<std::int32_t> forwardOrder;
    std::vector<bool> staticInput;
    bool anyRequiredBackward = false;
};

/// Errors: passes.invalid_output.
[[nodiscard]] base::Result<NodeClasses> classifyNodes(const JointProgram& program,
                                                      const PartitionOptions& options);

/// Changes the tags of the program as AOTAutograd does before it partitions: the last value of a checkpointed
/// region that the next one reads is saved, so are collectives, results of effectful operators and sources of
/// mutations that happen in both halves (cleanup_recompute_tags, force_save_*).
void forceSaves(JointProgram& program, const PartitionOptions& options);

[[nodiscard]] bool hasRecomputableNodes(const JointProgram& program);
[[nodiscard]] bool hasRecomputableRandom(const JointProgram& program);

} // namespace aotscope::passes
