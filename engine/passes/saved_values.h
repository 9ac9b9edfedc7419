#pragma once

#include "passes/recompute_cut.h"

#include "base/result.h"

#include <optional>
#include <vector>

namespace aotscope::passes {

struct SavedValues {
    /// In program order, unless the budget saves only inputs and what must be saved.
    std::vector<Index> values;
    /// The last min-cut that was solved; nothing: none was needed.
    std::optional<CutSolution> cut;
    std::optional<BudgetReport> budget;
};

/// The values that the forward saves for the backward: the fastest choice, or with an activation memory
/// budget the fastest within that budget. Follows torch 2.11, torch/_functorch/partitioners.py:
/// choose_saved_values_set. Errors: those of solveMinCut.
[[nodiscard]] base::Result<SavedValues> chooseSavedValues(const CutInput& input);

} // namespace aotscope::passes
