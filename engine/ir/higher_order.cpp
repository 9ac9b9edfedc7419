#include "ir/higher_order.h"

#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::ir {

namespace {

constexpr auto higherOrderOperators = [] {
    using enum HigherOrder;
    return std::to_array<HigherOrderOperator>({
        {.id = Cond, .target = "higher_order.cond", .bodies = {1, 2}},
        {.id = WhileLoop, .target = "higher_order.while_loop", .bodies = {0, 1}},
        {.id = MapImpl, .target = "higher_order.map_impl", .bodies = {0}},
        {.id = Map, .target = "higher_order.map"},
        {.id = Scan, .target = "higher_order.scan", .bodies = {0}},
        {.id = AssociativeScan, .target = "higher_order.associative_scan", .bodies = {0}},
        {.id = InvokeSubgraph, .target = "higher_order.invoke_subgraph", .bodies = {0}, .isCacheable = true},
        {.id = FlexAttention,
         .target = "higher_order.flex_attention",
         .bodies = {3},
         .bodiesTakeAllPositions = true,
         .isCacheable = true},
        {.id = FlexAttentionBackward,
         .target = "higher_order.flex_attention_backward",
         .bodiesTakeAllPositions = true,
         .isCacheable = true},
        {.id = Wrap, .target = "higher_order.wrap", .bodies = {0}, .wraps = 0},
        {.id = TagActivationCheckpoint,
         .target = "higher_order.tag_activation_checkpoint",
         .bodies = {0},
         .wraps = 0,
         .isCacheable = true},
        {.id = WrapActivationCheckpoint,
         .target = "higher_order.wrap_activation_checkpoint",
         .bodies = {0},
         .wraps = 0},
        {.id = StrictMode, .target = "higher_order.strict_mode"},
        {.id = HintsWrapper, .target = "higher_order.hints_wrapper", .bodies = {0}},
        {.id = WrapWithSetGradEnabled, .target = "higher_order.wrap_with_set_grad_enabled", .wraps = 1},
        {.id = WrapWithAutocast, .target = "higher_order.wrap_with_autocast", .wraps = 4},
        {.id = AutogradFunctionApply, .target = "higher_order.autograd_function_apply", .bodies = {0, 1}},
        {.id = RegisterHook, .target = "higher_order.register_hook", .bodies = {1}, .isCacheable = true},
        {.id = AutoFunctionalized, .target = "higher_order.auto_functionalized", .isCacheable = true},
        {.id = AutoFunctionalizedV2, .target = "higher_order.auto_functionalized_v2", .isCacheable = true},
        {.id = TritonKernelWrapperMutation,
         .target = "higher_order.triton_kernel_wrapper_mutation",
         .isCacheable = true},
        {.id = TritonKernelWrapperFunctional,
         .target = "higher_order.triton_kernel_wrapper_functional",
         .isCacheable = true},
        {.id = WithEffects, .target = "higher_order.with_effects"},
        {.id = Print, .target = "higher_order.print", .effect = HigherOrderEffect::Ordered},
        {.id = CallTorchbind, .target = "higher_order.call_torchbind", .effect = HigherOrderEffect::Ordered},
        {.id = InvokeLeafFunction,
         .target = "higher_order.invoke_leaf_function",
         .effect = HigherOrderEffect::Ordered},
        {.id = ControlDeps, .target = "higher_order.control_deps", .effect = HigherOrderEffect::Kept},
        {.id = RunAndSaveRngState, .target = "higher_order.run_and_save_rng_state", .keepsRandomState = true},
        {.id = RunWithRngState, .target = "higher_order.run_with_rng_state", .keepsRandomState = true},
        {.id = GraphsafeRunWithRngState,
         .target = "higher_order.graphsafe_run_with_rng_state",
         .keepsRandomState = true},
        {.id = OutDtype, .target = "higher_order.out_dtype"},
    });
}();

constexpr bool rowsAreInOrder() {
    for (std::size_t i = 0; i < higherOrderOperators.size(); ++i) {
        const HigherOrderOperator& row = higherOrderOperators[i];
        if (static_cast<std::size_t>(row.id) != i || !row.target.starts_with(higherOrderPrefix)) {
            return false;
        }
    }
    return higherOrderOperators.size() == static_cast<std::size_t>(HigherOrder::OutDtype) + 1;
}
static_assert(rowsAreInOrder());

} // namespace

std::string_view HigherOrderOperator::name() const {
    return target.substr(higherOrderPrefix.size());
}

bool isHigherOrder(std::string_view target) {
    return target.starts_with(higherOrderPrefix);
}

bool isHigherOrder(std::string_view target, HigherOrder which) {
    const std::string_view wanted = higherOrder(which).target;
    return target.starts_with(wanted) && splitTarget(target).packet == wanted;
}

const HigherOrderOperator* tryHigherOrder(std::string_view target) {
    if (!isHigherOrder(target)) {
        return nullptr;
    }
    const auto found =
        std::ranges::find(higherOrderOperators, splitTarget(target).packet, &HigherOrderOperator::target);
    return found == higherOrderOperators.end() ? nullptr : &*found;
}

const HigherOrderOperator& higherOrder(HigherOrder which) {
    return higherOrderOperators[static_cast<std::size_t>(which)];
}

} // namespace aotscope::ir
