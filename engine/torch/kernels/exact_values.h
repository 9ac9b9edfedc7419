#pragma once

#include "dispatch/handled_error.h"
#include "run/state/run_context.h"

#include "contract/run_options.h"
#include "kernels/fusion_plan.h"

#include "base/progress.h"
#include "base/result.h"
#include "ir/graph.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

/// What correct runs get in exact arithmetic and beside it, to judge one where values cancel.
namespace aotscope::torch {

/// The values of a graph, or of some of its nodes, in the same order each time.
struct ExactValues {
    std::vector<c10::IValue> exact;
    /// What other correct implementations may get.
    std::vector<std::vector<c10::IValue>> correct;
};

/// Why a value that is further off than its dtype lets expect is right: "value 1 is as far from float64 as
/// the graph's own operators: 0 in place of 4e-06 at element 7".
[[nodiscard]] std::string asFarText(const std::string& value, const std::string& worst);

/// Judges results that are further off than their dtypes let expect by the exact values that `make` computes:
/// whether `isNear(result, values)` is true of all. Else `differs` is called with the first that is not, and
/// with why that is not known, in parentheses, where it is not. Throws RunFailure (cuda.lost), Canceled.
template<typename Apart, typename Make, typename IsNear, typename Differs>
[[nodiscard]] bool areNearExact(const std::vector<Apart>& apart, Make&& make, IsNear&& isNear,
                                Differs&& differs) {
    ExactValues values;
    if (const auto failed = failureOf("run.operator_failed", [&] { values = make(); })) {
        differs(apart.front(), " (float64 cannot tell whether that is right: " + failed->message + ")");
        return false;
    }
    const auto wrong =
        std::ranges::find_if(apart, [&](const Apart& result) { return !isNear(result, values); });
    if (wrong != apart.end()) {
        differs(*wrong, std::string());
    }
    return wrong == apart.end();
}

/// What a graph returns, and after that its inputs as it leaves them. Throws as Executor::run, and
/// run.no_float64 when a node can only be computed in the run's dtypes.
[[nodiscard]] ExactValues exactRun(const ir::Graph& graph, const session::RunOptions& options,
                                   const base::Progress& progress);

/// What the nodes of a group compute from the run's values of what they read; by node. `valueOf` has those
/// and the run's values of the group's own nodes. Throws as exactRun.
[[nodiscard]] ExactValues exactGroup(const ir::Graph& graph, RunContext& context,
                                     const kernels::FusionGroup& group,
                                     const std::function<c10::IValue(ir::NodeId)>& valueOf);

} // namespace aotscope::torch
