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
    table.add({"aten.max"}, Reduces, {.kernel = {Reduction, "largest_of"}});
    table.add({"aten.min"}, Reduces, {.kernel = {Reduction, "smallest_of"}});
    table.add({"aten.prod"}, Reduces, {.kernel = {Reduction, "product_of"}});
    table.add({"aten.all"}, Reduces, {.kernel = {Truth, "smallest_of"}});
    table.add({"aten.argmin"}, Reduces, {.kernel = {Position, "smallest_of"}});
    table.add({"aten.logsumexp"}, Reduces, {.kernel = {LogSumExp}});
    table.add({"aten.linalg_vector_norm"}, Reduces, {.kernel = {VectorNorm}});
    table.add({"aten.std_mean", "aten.norm", "aten.cumsum", "aten.nansum", "prims.amax", "prims.amin",
               "prims.prod", "prims.xor_sum"},
              Reduces);
    table.add({"aten.cumprod"}, Reduces | LaterGradient);
    table.add({"aten.sort"}, MovesValues);
    table.add({"aten.topk", "aten.kthvalue", "aten.mode"}, {}, {.deed = "sorts"});
}

} // namespace aotscope::ir::detail
