#pragma once

#include "passes/recompute_cut.h"

#include "base/result.h"

#include <optional>
#include <vector>

namespace aotscope::passes {

struct SavedValues {
    /// In program order, or as the budget's choice gives them.
    std::vector<Index> values;
    /// The last cut that was made; nothing when the inputs alone are saved.
    std::optional<CutSolution> cut;
    std::optional<BudgetReport> budget;
};

/// What the backward gets from the forward (choose_saved_values_set): the fastest choice, or the fastest that
/// stays within the activation-memory budget.
[[nodiscard]] base::Result<SavedValues> chooseSavedValues(const CutInput& input);

} // namespace aotscope::passes
