#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aotscope::ir {

/// The higher-order operators that the engine tells apart, in the order of their rows.
enum class HigherOrder : std::uint8_t {
    Cond,
    WhileLoop,
    MapImpl,
    Map,
    Scan,
    AssociativeScan,
    InvokeSubgraph,
    FlexAttention,
    FlexAttentionBackward,
    Wrap,
    TagActivationCheckpoint,
    WrapActivationCheckpoint,
    StrictMode,
    HintsWrapper,
    WrapWithSetGradEnabled,
    WrapWithAutocast,
    AutogradFunctionApply,
    RegisterHook,
    AutoFunctionalized,
    AutoFunctionalizedV2,
    TritonKernelWrapperMutation,
    TritonKernelWrapperFunctional,
    WithEffects,
    Print,
    CallTorchbind,
    InvokeLeafFunction,
    ControlDeps,
    RunAndSaveRngState,
    RunWithRngState,
    GraphsafeRunWithRngState,
    OutDtype,
};

/// What a call does besides its results.
enum class HigherOrderEffect : std::uint8_t {
    None,
    /// Dead code elimination keeps the call.
    Kept,
    /// Kept, and in program order with the other effects: the call gets an effect token.
    Ordered,
};

/// What the engine knows of a higher-order operator, apart from how to run and trace it.
struct HigherOrderOperator {
    HigherOrder id;
    /// Without an overload: "higher_order.cond".
    std::string_view target;
    /// Positions of the arguments that must be graph modules of the calling graph.
    std::array<std::optional<std::size_t>, 2> bodies{};
    /// The call is its body, the argument at this position, called with the arguments behind it.
    std::optional<std::size_t> wraps{};
    /// The bodies get tensors of all positions at once, with other sizes than their graphs say.
    bool bodiesTakeAllPositions = false;
    /// The call runs another operator with a state of the random generator that the graph saved or passes.
    bool keepsRandomState = false;
    /// PyTorch registers it with `cacheable=True`; in torch 2.11 the same but for register_hook.
    bool isCacheable = false;
    HigherOrderEffect effect = HigherOrderEffect::None;

    /// "cond"
    [[nodiscard]] std::string_view name() const;
};

/// What the targets of all higher-order operators begin with, known ones or not.
inline constexpr std::string_view higherOrderPrefix = "higher_order.";
[[nodiscard]] bool isHigherOrder(std::string_view target);
/// Whether the target is that operator, with whatever overload.
[[nodiscard]] bool isHigherOrder(std::string_view target, HigherOrder which);

/// The row of a target, with whatever overload; null: no higher-order operator, or one without a row.
[[nodiscard]] const HigherOrderOperator* tryHigherOrder(std::string_view target);
[[nodiscard]] const HigherOrderOperator& higherOrder(HigherOrder which);

} // namespace aotscope::ir
