#pragma once

#include "ir/aot_metadata.h"
#include "ir/value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The wrappers that AOTAutograd puts around a compiled graph, as data: torch/_functorch/_aot_autograd/
/// runtime_wrappers.py of torch 2.11. Each struct bears the name of PyTorch's class and holds what that class
/// would keep; nothing here runs anything.
namespace aotscope::aot {

/// Gives the graph each tensor once where a caller passes one several times and it is mutated.
struct AOTDedupeWrapper {
    /// Per argument of the caller: whether the graph gets it. Empty where the wrapper does not apply.
    std::vector<bool> keepArgMask;
    /// Per argument of the caller: which of the graph's arguments it is.
    std::vector<std::size_t> addDupeMap;
    friend bool operator==(const AOTDedupeWrapper&, const AOTDedupeWrapper&) = default;
};

/// A tensor that stands for several arguments which share its memory.
struct SyntheticBase {
    /// The argument whose `_base` it is (ViewBaseAOTInput); where no argument has one, the argument whose
    /// whole storage it is, as one row (SyntheticBaseAOTInput).
    std::size_t ofArgument = 0;
    bool isViewBase = false;
    friend bool operator==(const SyntheticBase&, const SyntheticBase&) = default;
};

/// How an argument is made from its base: `base.as_strided(size, stride, storage_offset)`. That is the whole
/// chain of views: a fake tensor that was made as a view of an input's base knows no other.
struct ViewOfBase {
    std::size_t base = 0;
    ir::SymInts size;
    ir::SymInts stride;
    ir::SymInt storageOffset;
    bool requiresGrad = false;
    friend bool operator==(const ViewOfBase&, const ViewOfBase&) = default;
};

/// Hands the graph one base in the place of arguments that share memory, where one of them is mutated: bases
/// first, then the other arguments.
struct AOTSyntheticBaseWrapper {
    bool traceJoint = false;
    std::vector<SyntheticBase> bases;
    /// Per argument of the caller: its position among the graph's arguments, or how to view it on a base
    /// (`synthetic_base_info`). Empty where the wrapper does not apply.
    std::vector<std::variant<std::size_t, ViewOfBase>> arguments;
    /// Arguments viewed on a base whose sizes or strides are mutated, too: the graph returns them last, and
    /// the wrapper sets the caller's by them.
    std::vector<std::size_t> aliasedArgIdxWithMetadataMutations;
    /// What was known of the caller's arguments, by which bases are looked for at each call.
    std::vector<ir::InputAliasInfo> oldInputInfo;
    friend bool operator==(const AOTSyntheticBaseWrapper&, const AOTSyntheticBaseWrapper&) = default;
};

/// Passes a token per kind of effect to the graph, and drops those that it returns first.
struct EffectTokensWrapper {
    std::size_t tokens = 0;
    friend bool operator==(const EffectTokensWrapper&, const EffectTokensWrapper&) = default;
};

/// Takes tensor subclasses apart for the graph and puts its results together again.
struct AOTDispatchSubclassWrapper {
    bool traceJoint = false;
    /// `num_fw_outs_saved_for_bw`; nothing for inference, and until the graph is partitioned.
    std::optional<std::size_t> numForwardOutputsSavedForBackward;
    friend bool operator==(const AOTDispatchSubclassWrapper&, const AOTDispatchSubclassWrapper&) = default;
};

/// Passes the random generator's seed and offset to the graph and sets the new offset.
struct FunctionalizedRngRuntimeWrapper {
    /// Whether the new offset is taken out of what is returned; in training AOTDispatchAutograd does that.
    bool returnNewOuts = true;
    /// Position of the new offset among the graph's results.
    std::size_t offsetIndex = 0;
    friend bool operator==(const FunctionalizedRngRuntimeWrapper&,
                           const FunctionalizedRngRuntimeWrapper&) = default;
};

/// Answers the first call with fake tensors that look like the results (DDPOptimizer's first pass).
struct FakifiedOutWrapper {
    friend bool operator==(const FakifiedOutWrapper&, const FakifiedOutWrapper&) = default;
};

/// What the forward half returns behind its outputs, in this order.
struct SavedForBackward {
    std::size_t tensors = 0;
    /// Of the tensors, the last ones: autograd does not check whether they were changed since.
    std::size_t tensorsWithoutVersionCheck = 0;
    std::size_t symints = 0;
    friend bool operator==(const SavedForBackward&, const SavedForBackward&) = default;
};

/// The autograd function around both halves of a training graph.
struct AOTDispatchAutograd {
    bool disableAmp = false;
    /// `num_forward_returns`: mutated inputs, outputs and intermediate bases.
    std::size_t numForwardReturns = 0;
    /// Nothing until the graph is partitioned.
    std::optional<SavedForBackward> saved;
    /// Positions among what the forward returns, before intermediate bases: hidden from autograd, because
    /// RuntimeWrapper makes them anew (`TensorAlias`).
    std::vector<std::size_t> tensorAliases;
    /// Views that autograd must not take for views (`_unsafe_view`).
    std::vector<std::size_t> unsafeViews;
    /// Results that want no gradient (`mark_non_differentiable`).
    std::vector<std::size_t> nonDifferentiable;
    /// Results that get one: the backward's tangents are theirs, in this order, intermediate bases among
    /// them.
    std::vector<std::size_t> tangents;
    friend bool operator==(const AOTDispatchAutograd&, const AOTDispatchAutograd&) = default;
};

/// How a mutation that the graph could not do itself reaches the caller's tensor.
enum class MutationEpilogue : std::uint8_t {
    /// Nothing is left to do.
    None,
    /// `input.set_(updated)` under no_grad: the program gave it another storage.
    Set,
    /// `input.as_strided_(…)`: sizes, strides and offset of the updated tensor.
    AsStrided,
    /// `input.copy_(updated)`
    Copy,
    /// Both, in this order.
    AsStridedAndCopy,
    /// `input.detach().copy_(updated)`: a leaf that requires grad, mutated where autograd does not see it.
    DetachedCopy,
    AsStridedAndDetachedCopy,
};
/// Their names, in order.
inline constexpr std::array<std::string_view, 7> mutationEpilogueNames = {"none",
                                                                          "set_",
                                                                          "as_strided_",
                                                                          "copy_",
                                                                          "as_strided_ and copy_",
                                                                          "detach().copy_",
                                                                          "as_strided_ and detach().copy_"};

struct InputMutation {
    std::size_t input = 0;
    MutationEpilogue epilogue = MutationEpilogue::None;
    friend bool operator==(const InputMutation&, const InputMutation&) = default;
};

/// Where an output that shares memory with something comes from.
enum class AliasHandler : std::uint8_t {
    /// The graph's result as it is.
    Noop,
    /// The caller's own tensor.
    IsInput,
    /// A view of the caller's tensor.
    AliasOfInput,
    /// A view of another result: an output, or an intermediate base that is returned for this.
    AliasOfIntermediate,
};
/// Their names, in order, as PyTorch's classes are called.
inline constexpr std::array<std::string_view, 4> aliasHandlerNames = {
    "NoopAliasHandler", "IsInputHandler", "AliasOfInputHandler", "AliasOfIntermediateHandler"};

struct OutputHandler {
    AliasHandler handler = AliasHandler::Noop;
    /// Of the caller's arguments, or of the results without mutated inputs; nothing for Noop.
    std::optional<std::size_t> baseIndex;
    bool requiresGrad = false;
    friend bool operator==(const OutputHandler&, const OutputHandler&) = default;
};

/// What is done around every call: mutations, outputs that are aliases, grad mode.
struct RuntimeWrapper {
    bool traceJoint = false;
    bool disableAmp = false;
    /// `indices_of_inps_to_detach`: they never get a gradient.
    std::vector<std::size_t> indicesOfInputsToDetach;
    /// Mutated inside the graph where autograd sees it: their version counters are raised before the call.
    std::vector<std::size_t> incrementVersion;
    /// In the order in which the graph returns the updated inputs, which it does first.
    std::vector<InputMutation> mutations;
    /// One per output of the program.
    std::vector<OutputHandler> outputs;
    /// Results behind the outputs that are dropped once the aliases are made.
    std::size_t numIntermediateBases = 0;
    /// Per output of the program the dimensions that are marked as dynamic.
    std::vector<std::vector<std::size_t>> dynamicDims;
    /// The grad mode that the program leaves behind.
    std::optional<bool> gradEnabledMutation;
    friend bool operator==(const RuntimeWrapper&, const RuntimeWrapper&) = default;
};

/// Checks at each call that no argument requires grad that did not when it was compiled.
struct DebugAssertWrapper {
    /// Per argument; nothing for what is no tensor.
    std::vector<std::optional<bool>> flatRequiresGrad;
    friend bool operator==(const DebugAssertWrapper&, const DebugAssertWrapper&) = default;
};

using Wrapper = std::variant<AOTDedupeWrapper, AOTSyntheticBaseWrapper, EffectTokensWrapper,
                             AOTDispatchSubclassWrapper, FunctionalizedRngRuntimeWrapper, FakifiedOutWrapper,
                             AOTDispatchAutograd, RuntimeWrapper, DebugAssertWrapper>;

/// "AOTDedupeWrapper"
[[nodiscard]] std::string_view wrapperName(const Wrapper& wrapper);

/// One wrapper of a compile.
struct WrapperStep {
    Wrapper wrapper;
    /// Whether it does anything at a call; one that does not is left out at run time.
    bool applies = false;
    /// Why it does, or why not, in words.
    std::string reason;
    friend bool operator==(const WrapperStep&, const WrapperStep&) = default;
};

/// The step of that wrapper; null: there is none.
template<typename T>
[[nodiscard]] const WrapperStep* findWrapper(const std::vector<WrapperStep>& steps) {
    for (const WrapperStep& step : steps) {
        if (std::holds_alternative<T>(step.wrapper)) {
            return &step;
        }
    }
    return nullptr;
}

} // namespace aotscope::aot
