#pragma once

#include "contract/hook_errors.h"
#include "contract/partition_snapshot.h"

#include "base/describe.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What saved-tensors hooks cost and bring, measured on a run.
namespace aotscope::session {

/// Hooks of a partition with their errors.
struct HookErrorsSnapshot {
    /// The partition with the hooks. Never null.
    PartitionSnapshotPtr split;
    HookErrors errors;
    /// For each of `errors.hooks` the step's predicted peak with that hook alone; empty if not requested.
    std::vector<std::int64_t> peaksAlone;
};
using HookErrorsSnapshotPtr = std::shared_ptr<const HookErrorsSnapshot>;

/// What hooks are to reach; with both set, both.
struct HookGoal {
    /// Bytes of all that is saved for the backward, at most.
    std::optional<std::int64_t> storedBytes;
    /// The relative error of the gradient with the largest one, at most. Without it, none is too large.
    std::optional<double> error;
    friend bool operator==(const HookGoal&, const HookGoal&) = default;
};
AOTSCOPE_MEMBERS(HookGoal, storedBytes, error)

/// A hook that was tried for a tensor.
struct HookTrial {
    std::string saved;
    std::string hook;
    /// What it saves.
    std::int64_t bytes = 0;
    /// The relative error of the gradient that it changes most, with this hook alone.
    double error = 0;
};
AOTSCOPE_MEMBERS(HookTrial, saved, hook, bytes, error)

/// Hooks for a goal.
struct HookSuggestion {
    HookGoal goal;
    /// Whether the plan reaches it, as measured with all its hooks together.
    bool isReached = false;
    /// One rule for each tensor.
    hooks::HookPlan plan;
    HookErrors errors;
    /// The largest relative error of a gradient with the plan.
    double error = 0;
    /// All that was measured, in order of error for each byte.
    std::vector<HookTrial> trials;
    std::vector<std::string> notes;
};
AOTSCOPE_MEMBERS(HookSuggestion, goal, isReached, plan, errors, error, trials, notes)
struct HookSuggestionSnapshot : HookSuggestion {
    ArtifactReference joint;
    PartitionSnapshotPtr split;
};
using HookSuggestionSnapshotPtr = std::shared_ptr<const HookSuggestionSnapshot>;

/// The largest relative error of a gradient; 0: there is none.
[[nodiscard]] inline double worstError(const std::vector<GradientError>& gradients) {
    double worst = 0;
    for (const GradientError& gradient : gradients) {
        worst = std::max(worst, gradient.error.relative);
    }
    return worst;
}

} // namespace aotscope::session
