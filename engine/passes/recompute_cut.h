#pragma once

#include "passes/recompute_bans.h"

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace aotscope::passes {

/// One solution of the min-cut.
struct CutSolution {
    /// Saved values in program order.
    std::vector<Index> saved;
    BannedNodes bans;
    /// Cost of saving a node, by position; `cannotBeSaved`, or `notInCut` for a node outside the network.
    std::vector<std::int64_t> weights;
    std::vector<SaveObstacle> obstacles;
    std::int64_t value = 0;
};

inline constexpr std::int64_t cannotBeSaved = -1;
inline constexpr std::int64_t notInCut = -2;

/// Follows torch 2.11, torch/_functorch/partitioners.py: solve_min_cut. `dontBan` as for banRecomputation.
/// Errors: passes.no_cut, passes.weights_too_large.
[[nodiscard]] base::Result<CutSolution> solveMinCut(const CutInput& input, const RecomputeBans& bans,
                                                    const std::vector<bool>& dontBan = {});

} // namespace aotscope::passes
