#pragma once

#include "ir/aot_metadata.h"
#include "ir/value.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The wrappers that AOTAutograd puts around a compiled graph, as data; nothing here runs anything. Follows
/// torch 2.11, torch/_functorch/_aot_autograd/runtime_wrappers.py: each struct has the name of PyTorch's
/// class and holds that class's state.
namespace aotscope::aot {

/// Passes each tensor once to the graph when a caller passes one several times and it is mutated.
struct AOTDedupeWrapper {
    /// Per argument of the caller: whether the graph receives it. Empty when the wrapper does not apply.
    std::vector<bool> keepArgMask;
    /// Per argument of the caller: the index of the graph argument that stands for it.
    std::vector<std::size_t> addDupeMap;
    friend bool operator==(const AOTDedupeWrapper&, const AOTDedupeWrapper&) = default;
};
AOTSCOPE_MEMBERS(AOTDedupeWrapper, keepArgMask, addDupeMap)

/// A tensor that replaces several arguments which share its memory.
struct SyntheticBase {
    /// The argument whose `_base` it is (ViewBaseAOTInput). If no argument has a `_base`: the argument whose
    /// whole storage it is, as a one-dimensional tensor (SyntheticBaseAOTInput).
    std::size_t ofArgument = 0;
    bool isViewBase = false;
    friend bool operator==(const SyntheticBase&, const SyntheticBase&) = default;
};
AOTSCOPE_MEMBERS(SyntheticBase, ofArgument, isViewBase)

/// How an argument is rebuilt from its base: `base.as_strided(size, stride, storage_offset)`. One call is
/// enough, because the fake tensor of an argument is a direct view of the base.
struct ViewOfBase {
    std::size_t base = 0;
    ir::SymInts size;
    ir::SymInts stride;
    ir::SymInt storageOffset;
    bool requiresGrad = false;
    friend bool operator==(const ViewOfBase&, const ViewOfBase&) = default;
};
AOTSCOPE_MEMBERS(ViewOfBase, base, size, stride, storageOffset, requiresGrad)

/// Passes the graph one base instead of several arguments that share memory, one of which is mutated. Bases
/// come first, then the other arguments.
struct AOTSyntheticBaseWrapper {
    bool traceJoint = false;
    std::vector<SyntheticBase> bases;
    /// Per argument of the caller: its position among the graph's arguments, or its view of a base. Empty
    /// when the wrapper does not apply.
    std::vector<std::variant<std::size_t, ViewOfBase>> syntheticBaseInfo;
    /// Arguments rebuilt from a base whose sizes or strides are mutated too. The graph returns their new
    /// metadata last, and the wrapper applies it to the caller's tensors.
    std::vector<std::size_t> aliasedArgIdxWithMetadataMutations;
    /// Metadata of the caller's arguments, used at each call to find the bases.
    std::vector<ir::InputAliasInfo> oldInputInfo;
    friend bool operator==(const AOTSyntheticBaseWrapper&, const AOTSyntheticBaseWrapper&) = default;
};
AOTSCOPE_MEMBERS(AOTSyntheticBaseWrapper, traceJoint, bases, syntheticBaseInfo,
                 aliasedArgIdxWithMetadataMutations, oldInputInfo)

/// Passes one token per kind of effect to the graph, and drops the tokens that the graph returns first.
struct EffectTokensWrapper {
    std::size_t tokens = 0;
    friend bool operator==(const EffectTokensWrapper&, const EffectTokensWrapper&) = default;
};
AOTSCOPE_MEMBERS(EffectTokensWrapper, tokens)

/// Unwraps tensor subclasses for the graph and wraps its results again.
struct AOTDispatchSubclassWrapper {
    bool traceJoint = false;
    /// Nothing for inference and before the partition.
    std::optional<std::size_t> numFwOutsSavedForBw;
    friend bool operator==(const AOTDispatchSubclassWrapper&, const AOTDispatchSubclassWrapper&) = default;
};
AOTSCOPE_MEMBERS(AOTDispatchSubclassWrapper, traceJoint, numFwOutsSavedForBw)

/// Passes the random generator's seed and offset to the graph, and sets the new offset.
struct FunctionalizedRngRuntimeWrapper {
    /// Whether this wrapper removes the new offset from the results; in training AOTDispatchAutograd does.
    bool returnNewOuts = true;
    /// Position of the new offset among the graph's results.
    std::size_t offsetIndex = 0;
    friend bool operator==(const FunctionalizedRngRuntimeWrapper&,
                           const FunctionalizedRngRuntimeWrapper&) = default;
};
AOTSCOPE_MEMBERS(FunctionalizedRngRuntimeWrapper, returnNewOuts, offsetIndex)

/// Returns fake tensors shaped like the results at the first call (DDPOptimizer's first pass).
struct FakifiedOutWrapper {
    friend bool operator==(const FakifiedOutWrapper&, const FakifiedOutWrapper&) = default;
};

/// What the forward returns after its outputs, in this order.
struct SavedForBackward {
    std::size_t tensors = 0;
    /// How many of these, at the end, are saved without autograd's version check.
    std::size_t numTensorsSavedWithNoVcCheck = 0;
    std::size_t numSymintsSavedForBw = 0;
    friend bool operator==(const SavedForBackward&, const SavedForBackward&) = default;
};
AOTSCOPE_MEMBERS(SavedForBackward, tensors, numTensorsSavedWithNoVcCheck, numSymintsSavedForBw)

/// The autograd function around the forward and backward graphs.
struct AOTDispatchAutograd {
    bool disableAmp = false;
    /// `num_forward_returns`: mutated inputs, outputs and intermediate bases.
    std::size_t numForwardReturns = 0;
    /// Nothing before the partition.
    std::optional<SavedForBackward> saved;
    /// Positions among the forward's results, before intermediate bases. They are wrapped in `TensorAlias` to
    /// hide them from autograd, because RuntimeWrapper makes them again.
    std::vector<std::size_t> tensorAliases;
    /// Views that autograd must not treat as views (`_unsafe_view`).
    std::vector<std::size_t> unsafeViews;
    /// Results without a gradient (`mark_non_differentiable`).
    std::vector<std::size_t> nonDifferentiable;
    /// Results with a gradient, intermediate bases included: the backward's tangents, in this order.
    std::vector<std::size_t> tangents;
    friend bool operator==(const AOTDispatchAutograd&, const AOTDispatchAutograd&) = default;
};

/// How the caller's tensor is updated after a mutation that is not in the graph.
enum class MutationEpilogue : std::uint8_t {
    /// Nothing is left to do.
    None,
    /// `input.set_(updated)` under no_grad: the program gave the input another storage.
    Set,
    /// `input.as_strided_(…)` with the sizes, strides and offset of the updated tensor.
    AsStrided,
    /// `input.copy_(updated)`
    Copy,
    /// as_strided_, then copy_.
    AsStridedAndCopy,
    /// `input.detach().copy_(updated)`: a leaf that requires grad, mutated under no_grad or in detached form.
    DetachedCopy,
    AsStridedAndDetachedCopy,
};
AOTSCOPE_WORDS(MutationEpilogue, "none", "set_", "as_strided_", "copy_", "as_strided_ and copy_",
               "detach().copy_", "as_strided_ and detach().copy_")

struct InputMutation {
    std::size_t input = 0;
    MutationEpilogue epilogue = MutationEpilogue::None;
    friend bool operator==(const InputMutation&, const InputMutation&) = default;
};
AOTSCOPE_MEMBERS(InputMutation, input, epilogue)

/// How an output is rebuilt from the graph's result when it may alias something.
enum class AliasHandler : std::uint8_t {
    /// The graph's result, unchanged.
    Noop,
    /// The caller's tensor itself.
    IsInput,
    /// A view of the caller's tensor.
    AliasOfInput,
    /// A view of another result: an output, or an intermediate base that is returned only for this.
    AliasOfIntermediate,
};
/// PyTorch's class names.
AOTSCOPE_WORDS(AliasHandler, "NoopAliasHandler", "IsInputHandler", "AliasOfInputHandler",
               "AliasOfIntermediateHandler")

struct OutputHandler {
    AliasHandler handler = AliasHandler::Noop;
    /// Index among the caller's arguments, or among the results without mutated inputs; nothing for Noop.
    std::optional<std::size_t> baseIdx;
    bool requiresGrad = false;
    friend bool operator==(const OutputHandler&, const OutputHandler&) = default;
};
AOTSCOPE_MEMBERS(OutputHandler, handler, baseIdx, requiresGrad)

/// Runs around every call: applies mutations, makes aliased outputs, sets grad mode.
struct RuntimeWrapper {
    bool traceJoint = false;
    bool disableAmp = false;
    /// Inputs that never get a gradient.
    std::vector<std::size_t> indicesOfInpsToDetach;
    /// Inputs that the graph mutates where autograd sees it: their version counters are increased before the
    /// call.
    std::vector<std::size_t> incrementVersion;
    /// In the order of the updated inputs, which are the graph's first results.
    std::vector<InputMutation> mutations;
    /// One per output of the program.
    std::vector<OutputHandler> outputs;
    /// How many results after the outputs are dropped once the aliases are rebuilt.
    std::size_t numIntermediateBases = 0;
    /// Per output of the program: its dimensions that are marked as dynamic.
    std::vector<std::vector<std::size_t>> dynamicDims;
    /// Grad mode that the program leaves set; nothing: unchanged.
    std::optional<bool> gradEnabledMutation;
    friend bool operator==(const RuntimeWrapper&, const RuntimeWrapper&) = default;
};
AOTSCOPE_MEMBERS(RuntimeWrapper, traceJoint, disableAmp, indicesOfInpsToDetach, incrementVersion, mutations,
                 outputs, numIntermediateBases, dynamicDims, gradEnabledMutation)

/// Checks at each call that no argument requires grad unless it did at compile time.
struct DebugAssertWrapper {
    /// Per argument; nothing when it is not a tensor.
    std::vector<std::optional<bool>> flatRequiresGrad;
    friend bool operator==(const DebugAssertWrapper&, const DebugAssertWrapper&) = default;
};
AOTSCOPE_MEMBERS(DebugAssertWrapper, flatRequiresGrad)

using Wrapper = std::variant<AOTDedupeWrapper, AOTSyntheticBaseWrapper, EffectTokensWrapper,
                             AOTDispatchSubclassWrapper, FunctionalizedRngRuntimeWrapper, FakifiedOutWrapper,
                             AOTDispatchAutograd, RuntimeWrapper, DebugAssertWrapper>;

/// "AOTDedupeWrapper"
[[nodiscard]] std::string_view wrapperName(const Wrapper& wrapper);

/// The sections of `aot_autograd_runtime_wrappers` that hold the code torch 2.15 generates for the wrapper,
/// in their order there: "mutation_epilogue". Only those of a compile's wrappers that do something are
/// logged.
[[nodiscard]] std::span<const std::string_view> sourceSections(const Wrapper& wrapper);

/// One wrapper of a compile, with the reason it is there.
struct WrapperStep {
    Wrapper wrapper;
    /// Whether it does anything at a call; otherwise PyTorch leaves it out at run time.
    bool applies = false;
    /// Why it applies or not, in words.
    std::string reason;
    friend bool operator==(const WrapperStep&, const WrapperStep&) = default;
};

/// The step that holds wrapper T; null: none.
template<typename T>
[[nodiscard]] const WrapperStep* findWrapper(const std::vector<WrapperStep>& steps) {
    for (const WrapperStep& step : steps) {
        if (std::holds_alternative<T>(step.wrapper)) {
            return &step;
        }
    }
    return nullptr;
}

/// Wrapper T, if it is there and applies; null: it does not.
template<typename T>
[[nodiscard]] const T* appliedWrapper(const std::vector<WrapperStep>& steps) {
    const WrapperStep* step = findWrapper<T>(steps);
    return step != nullptr && step->applies ? &std::get<T>(step->wrapper) : nullptr;
}

} // namespace aotscope::aot
