#pragma once

#include "passes/classify_nodes.h"
#include "passes/joint_program.h"
#include "passes/partition_report.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::passes {

/// What the min-cut steps share, by position.
struct CutInput {
    const JointProgram& program;
    const NodeClasses& classes;
    const PartitionOptions& options;
    /// Edges to the nearest backward node; `unreachableDistance` when none is reached.
    std::vector<std::int64_t> distance;
    /// A person's choices.
    std::vector<std::optional<Forced>> forced;
};

inline constexpr std::int64_t unreachableDistance = 1'000'000'000;

[[nodiscard]] std::vector<std::int64_t> distancesFromBackward(const JointProgram& program,
                                                              const NodeClasses& classes);

/// Which nodes may not be computed again, in the order they were banned, and why.
struct BannedNodes {
    std::vector<Index> order;
    std::vector<bool> banned;
    std::vector<std::vector<Ban>> reasons;
};

/// The heuristics of solve_min_cut. `dontBan` lists nodes (by position) that the memory budget wants computed
/// again; empty: none.
[[nodiscard]] BannedNodes banRecomputation(const CutInput& input, const RecomputeBans& bans,
                                           const std::vector<bool>& dontBan);

} // namespace aotscope::passes
