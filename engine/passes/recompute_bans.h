#pragma once

#include "passes/classify_nodes.h"
#include "passes/joint_program.h"
#include "passes/partition_report.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::passes {

/// The input of the min-cut, by position. The referenced objects must outlive it.
struct CutInput {
    const JointProgram& program;
    const NodeClasses& classes;
    const PartitionOptions& options;
    /// Edges to the nearest backward node; `unreachableDistance`: no path leads to one.
    std::vector<std::int64_t> distance;
    /// The user's choices.
    std::vector<std::optional<Forced>> forced;
};

inline constexpr std::int64_t unreachableDistance = 1'000'000'000;

[[nodiscard]] std::vector<std::int64_t> distancesFromBackward(const JointProgram& program,
                                                              const NodeClasses& classes);

// Inner functions of solve_min_cut: is_fusible, is_materialized.

/// Whether `user` can be computed in one kernel with its input `node`.
[[nodiscard]] bool isFusible(const JointProgram& program, Index node, Index user);

/// Whether the node's value is written to memory anyway: it is an input, or a user cannot be fused with it.
[[nodiscard]] bool isMaterialized(const JointProgram& program, Index node);

/// Nodes that must not be recomputed: `order` in banning order, the others by position.
struct BannedNodes {
    std::vector<Index> order;
    std::vector<bool> banned;
    std::vector<std::vector<Ban>> reasons;
};

/// Applies the ban heuristics. `dontBan`, by position, marks nodes that the memory budget wants recomputed;
/// empty: none. Follows torch 2.11, torch/_functorch/partitioners.py: solve_min_cut.
[[nodiscard]] BannedNodes banRecomputation(const CutInput& input, const RecomputeBans& bans,
                                           const std::vector<bool>& dontBan);

} // namespace aotscope::passes
