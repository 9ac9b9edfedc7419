#pragma once

#include "passes/recompute_bans.h"

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace aotscope::passes {

/// One solution of solve_min_cut.
struct CutSolution {
    /// Saved values in program order.
    std::vector<Index> saved;
    BannedNodes bans;
    /// What saving a node costs, by position; -1: it cannot be saved, -2: not part of the cut.
    std::vector<std::int64_t> weights;
    std::vector<SaveObstacle> obstacles;
    std::int64_t value = 0;
};

inline constexpr std::int64_t cannotBeSaved = -1;
inline constexpr std::int64_t notInCut = -2;

/// Errors: passes.no_cut, passes.weights_too_large.
[[nodiscard]] base::Result<CutSolution> solveMinCut(const CutInput& input, const RecomputeBans& bans,
                                                    const std::vector<bool>& dontBan = {});

} // namespace aotscope::passes
