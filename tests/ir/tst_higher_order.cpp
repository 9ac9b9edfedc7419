#include "ir/higher_order.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace aotscope;

namespace {

constexpr auto lastOperator = static_cast<std::size_t>(ir::HigherOrder::OutDtype);

/// The names of the operators whose row fulfils a condition.
template<typename Condition>
std::set<std::string> namesWhere(Condition&& condition) {
    std::set<std::string> names;
    for (std::size_t i = 0; i <= lastOperator; ++i) {
        const ir::HigherOrderOperator& row = ir::higherOrder(static_cast<ir::HigherOrder>(i));
        if (condition(row)) {
            names.emplace(row.name());
        }
    }
    return names;
}

} // namespace

TEST_CASE("a higher-order operator is found by its target, with or without an overload") {
    for (std::size_t i = 0; i <= lastOperator; ++i) {
        const auto which = static_cast<ir::HigherOrder>(i);
        const std::string target(ir::higherOrder(which).target);
        CAPTURE(target);
        REQUIRE(ir::tryHigherOrder(target) != nullptr);
        CHECK(ir::tryHigherOrder(target)->id == which);
        CHECK(ir::tryHigherOrder(target + ".default") == ir::tryHigherOrder(target));
        CHECK(ir::isHigherOrder(target + ".default", which));
        CHECK_FALSE(ir::isHigherOrder(target + "_more", which));
        CHECK(ir::tryHigherOrder(target + "_more") == nullptr);
    }
    CHECK(ir::isHigherOrder("higher_order.not_known"));
    CHECK(ir::tryHigherOrder("higher_order.not_known") == nullptr);
    CHECK_FALSE(ir::isHigherOrder("aten.cond.default"));
    CHECK(ir::tryHigherOrder("cond") == nullptr);
    CHECK_FALSE(
        ir::isHigherOrder("higher_order.auto_functionalized_v2", ir::HigherOrder::AutoFunctionalized));
}

TEST_CASE("the columns hold what PyTorch's sources say of the operators") {
    // `cacheable=True` in torch 2.15, torch/_higher_order_ops.
    CHECK(namesWhere([](const auto& row) { return row.isCacheable; }) ==
          std::set<std::string>{"auto_functionalized", "auto_functionalized_v2", "flex_attention",
                                "flex_attention_backward", "invoke_subgraph", "register_hook",
                                "tag_activation_checkpoint", "triton_kernel_wrapper_functional",
                                "triton_kernel_wrapper_mutation"});
    // _EffectType.ORDERED in torch/_higher_order_ops/effects.py.
    CHECK(namesWhere([](const auto& row) { return row.effect == ir::HigherOrderEffect::Ordered; }) ==
          std::set<std::string>{"call_torchbind", "invoke_leaf_function", "print"});
    // torch/_prims/rng_prims.py.
    CHECK(namesWhere([](const auto& row) { return row.keepsRandomState; }) ==
          std::set<std::string>{"graphsafe_run_with_rng_state", "run_and_save_rng_state",
                                "run_with_rng_state"});
}
