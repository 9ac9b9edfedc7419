#include "ir/operators/operator_table.h"

/// Operators that make tensors, of constants, memory as it is, or random numbers.
namespace aotscope::ir::detail {

void addCreation(OperatorTable& table) {
    using enum Trait;
    using enum Computes;
    using enum KernelRule;
    table.add({"aten.new_zeros", "aten.zeros_like"},
              Recomputable | IgnoresInputs | MovesElements | WithoutGradient, {.kernel = {Same, "0"}});
    table.add({"aten.full_like"}, Recomputable | IgnoresInputs | MovesElements | WithoutGradient,
              {.kernel = {Filled}});
    table.add({"aten.scalar_tensor"}, Recomputable | MovesElements, {.kernel = {Filled}, .constant = 0});
    table.add({"aten.zeros"}, Recomputable | MovesElements, {.kernel = {Same, "0"}});
    table.add({"aten.zero"}, {}, {.kernel = {Same, "0"}});
    table.add({"aten.ones"}, Recomputable | MovesElements, {.kernel = {Same, "1"}});
    table.add({"aten.arange", "prims.iota"}, Recomputable | MovesElements, {.kernel = {Range}});
    table.add({"aten.full"}, Recomputable | MovesElements, {.kernel = {Filled}, .constant = 1});
    table.add({"aten.empty"}, Recomputable | NotMergeable | Uninitialized);
    table.add({"aten.empty_like"}, Recomputable | Uninitialized | IgnoresInputs | WithoutGradient);
    table.add({"aten.empty_strided", "aten.empty_permuted", "prims.empty_strided", "aten.empty_quantized"},
              Uninitialized);
    table.add({"aten.new_empty"}, Uninitialized | IgnoresInputs | WithoutGradient);
    table.add({"aten.new_empty_strided"}, Uninitialized | IgnoresInputs);
    table.add({"aten.ones_like", "aten.new_ones"}, IgnoresInputs | MovesElements | WithoutGradient,
              {.kernel = {Same, "1"}});
    table.add({"aten.new_full"}, IgnoresInputs | MovesElements | WithoutGradient, {.kernel = {Filled}});
    table.add({"rngprims.philox_rand"}, {}, {.kernel = {Philox}});
    table.add({"aten.fill_", "aten.zero_"}, IgnoresInputs | MovesElements);
    table.add({"aten.fill"}, MovesElements, {.expression = {Exact, "value", "$0"}});
    table.add({"aten.eye"}, MovesElements);
    table.add({"prims.inductor_seeds"}, {}, {.inductorName = "randint"});
    table.add({"prims.inductor_lookup_seed"}, LooksUpSeed);
    table.add({"prims.full_like"}, IgnoresInputs);
    table.add({"aten._efficientzerotensor"}, CanEndProcess);
    table.add({"aten.dropout", "aten._fused_dropout", "aten._standard_gamma", "aten.normal", "aten.poisson",
               "aten.binomial", "aten.rrelu", "aten.randperm"},
              NotMergeable);
    table.add({"aten.bernoulli"}, NotMergeable | WithoutGradient,
              {.probabilities = positions(0), .draws = "bernoulli"});
    table.add({"aten.multinomial"}, NotMergeable, {.probabilities = positions(0)});
    table.add({"aten.native_dropout"}, Random | NotMergeable, {.draws = "bernoulli"});
    table.add({"aten.rand_like"}, Random | NotMergeable | IgnoresInputs | WithoutGradient,
              {.draws = "uniform"});
    table.add({"aten.rand"}, NotMergeable, {.draws = "uniform"});
    table.add({"aten.randint"}, NotMergeable, {.draws = "integers"});
    table.add({"aten.randn"}, NotMergeable, {.draws = "normal"});
    table.add({"aten.randn_like"}, Random | IgnoresInputs | WithoutGradient, {.draws = "normal"});
    table.add({"aten.randint_like"}, IgnoresInputs | WithoutGradient, {.draws = "integers"});
    table.add({"aten.uniform_", "aten.uniform"}, {}, {.draws = "uniform"});
    table.add({"aten.normal_", "aten.normal_functional"}, {}, {.draws = "normal"});
    table.add({"aten.bernoulli_"}, {}, {.draws = "bernoulli"});
    table.add({"aten.random_", "aten.random"}, {}, {.draws = "integers"});
}

} // namespace aotscope::ir::detail
