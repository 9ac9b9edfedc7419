#include "ir/operators/operator_table.h"

/// Reductions, scans, sorting.
namespace aotscope::ir::detail {

void addReductions(OperatorTable& table) {
    using enum Trait;
    using enum KernelRule;
    table.add({"aten.sum"}, Recomputable | Reduces, {.kernel = {Reduction, "sum_of"}});
    table.add({"aten.mean"}, Recomputable | Reduces, {.kernel = {Reduction, "sum_of", "$0 / $1"}});
    table.add({"aten.var", "aten.var_mean"}, Recomputable | Reduces, {.kernel = {Variance}});
    table.add({"aten.std"}, Recomputable | Reduces, {.kernel = {Variance, {}, "sqrt{f}($0)"}});
    table.add({"aten.any"}, Recomputable | Reduces, {.kernel = {Truth, "largest_of"}});
    table.add({"aten.argmax"}, Recomputable | Reduces, {.kernel = {Position, "largest_of"}});
    table.add({"prims.var", "prims.sum"}, Recomputable | Reduces);
    table.add({"aten._grad_sum_to_size", "aten.sum_to_size"}, Recomputable);
    table.add({"aten.amax"}, Recomputable | Reduces | MovesValues, {.kernel = {Reduction, "largest_of"}});
    table.add({"aten.amin"}, Reduces | MovesValues, {.kernel = {Reduction, "smallest_of"}});
    table.add({"aten.max"}, Reduces | FollowedGradient,
              {.overloads = "dim", .kernel = {Reduction, "largest_of"}});
    table.add({"aten.min"}, Reduces | FollowedGradient,
              {.overloads = "dim", .kernel = {Reduction, "smallest_of"}});
    table.add({"aten.prod"}, Reduces, {.kernel = {Reduction, "product_of"}});
    table.add({"aten.all"}, Reduces, {.kernel = {Truth, "smallest_of"}});
    table.add({"aten.argmin"}, Reduces, {.kernel = {Position, "smallest_of"}});
    table.add({"aten.logsumexp"}, Reduces, {.kernel = {LogSumExp}});
    table.add({"aten.linalg_vector_norm"}, Reduces, {.kernel = {VectorNorm}});
    table.add({"aten.median", "aten.nanmedian"}, FollowedGradient,
              {.overloads = "dim", .backwardNumbers = "1"});
    table.add({"aten.cummax", "aten.cummin"}, FollowedGradient);
    table.add({"aten.std_mean", "aten.norm", "aten.cumsum", "aten.nansum", "prims.amax", "prims.amin",
               "prims.prod", "prims.xor_sum"},
              Reduces);
    table.add({"aten.cumprod"}, Reduces | LaterGradient);
    table.add({"aten.combinations"}, LaterResult);
    table.add({"aten.quantile", "aten.nanquantile"}, LaterResult, {.overloads = "default scalar"});
    table.add({"aten.sort"}, MovesValues | FollowedGradient,
              {.overloads = "default stable", .backwardNumbers = "0 1"});
    table.add({"aten.topk", "aten.kthvalue", "aten.mode"}, FollowedGradient, {.deed = "sorts"});
}

} // namespace aotscope::ir::detail
