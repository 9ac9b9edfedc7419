#include "ir/operators/operator_table.h"

/// Reductions, scans, sorting.
namespace aotscope::ir::detail {

void addReductions(OperatorTable& table) {
    using enum Trait;
    table.add({"aten.sum", "aten.mean", "prims.var", "prims.sum", "aten.var", "aten.std", "aten.var_mean",
               "aten.any", "aten.argmax"},
              Recomputable | Reduces);
    table.add({"aten._grad_sum_to_size", "aten.sum_to_size"}, Recomputable);
    table.add({"aten.amax"}, Recomputable | Reduces | MovesValues);
    table.add({"aten.amin"}, Reduces | MovesValues);
    table.add({"aten.max", "aten.min"}, Reduces | FollowedGradient, {.overloads = "dim"});
    table.add({"aten.median", "aten.nanmedian"}, FollowedGradient, {.overloads = "dim"});
    table.add({"aten.cummax", "aten.cummin"}, FollowedGradient);
    table.add({"aten.prod", "aten.std_mean", "aten.all", "aten.argmin", "aten.logsumexp",
               "aten.linalg_vector_norm", "aten.norm", "aten.cumsum", "aten.nansum", "prims.amax",
               "prims.amin", "prims.prod", "prims.xor_sum"},
              Reduces);
    table.add({"aten.cumprod"}, Reduces | LaterGradient);
    table.add({"aten.combinations"}, LaterResult);
    table.add({"aten.quantile", "aten.nanquantile"}, LaterResult, {.overloads = "default scalar"});
    table.add({"aten.sort"}, MovesValues | FollowedGradient, {.overloads = "default stable"});
    table.add({"aten.topk", "aten.kthvalue", "aten.mode"}, FollowedGradient, {.deed = "sorts"});
}

} // namespace aotscope::ir::detail
