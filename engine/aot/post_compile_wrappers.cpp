#include "aot/post_compile_wrappers.h"

#include "ir/higher_order.h"
#include "passes/partition.h"

#include <algorithm>
#include <string_view>

namespace aotscope::aot {
namespace {

using ir::InputAliasInfo;
using ir::MutationType;
using ir::OutputAliasInfo;
using ir::OutputType;

std::string counted(std::size_t count, std::string_view one) {
    return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

bool isAliased(const OutputAliasInfo& output) {
    return output.outputType != OutputType::NonAlias && output.outputType != OutputType::UnsafeViewAlias &&
           output.outputType != OutputType::CustomFunctionView;
}

/// Only tensors have known dimensions.
bool isTensor(const OutputAliasInfo& output) {
    return output.dynamicDims.has_value();
}

/// Whether a mutated input is returned inside a TensorAlias, which hides it from autograd.
bool isHidden(const InputAliasInfo& input) {
    return input.mutatesMetadata && !input.mutatesData;
}

/// Number of values that the graph returns before saved ones: mutated inputs, outputs, intermediate bases.
std::size_t forwardReturns(const ir::ViewAndMutationMeta& metadata) {
    return metadata.mutatedInputRuntimeIndices().size() + metadata.outputInfo.size() +
           metadata.numIntermediateBases;
}

WrapperStep effectTokens(const CompiledFunction& function) {
    const ir::GraphPtr called = function.forward();
    const std::size_t tokens = countInputs<ir::ForwardTokenAOTInput>(called ? *called : *function.graph);
    const auto order = function.graph->order();
    const bool hasEffects = std::ranges::any_of(order, [&](ir::NodeId id) {
        return ir::isHigherOrder(function.graph->node(id).target, ir::HigherOrder::WithEffects);
    });
    const bool isUnlifted = function.configuration.functorch.unliftEffectTokens;
    if (hasEffects && isUnlifted && (tokens == 0 || !function.partition)) {
        return {EffectTokensWrapper{0}, false,
                "the graphs make and drop the tokens of their effects themselves (unlift_effect_tokens)"};
    }
    return {EffectTokensWrapper{tokens}, tokens > 0,
            tokens > 0
                ? "the program has effects of " + counted(tokens, "kind") + ", each kept in order by a token"
                : "no operator of the program has side effects"};
}

/// Number of values that the forward returns for the backward, read off the graph: states of generators that
/// the partition makes it save are not among the saved tensors of the joint graph.
std::optional<std::size_t> savedOutputs(const CompiledFunction& function) {
    if (!function.partition) {
        return std::nullopt;
    }
    const ir::Graph& forward = *function.partition->forward;
    const std::size_t returned = ir::returnedNodes(forward).size();
    const std::size_t before =
        countInputs<ir::ForwardTokenAOTInput>(forward) + forwardReturns(function.metadata);
    return returned - std::min(returned, before);
}

/// Never applies: a request with a tensor subclass fails earlier, with trace.subclass.
WrapperStep subclasses(const CompiledFunction& function) {
    return {AOTDispatchSubclassWrapper{false, savedOutputs(function)}, false,
            "no input and no output is a tensor subclass"};
}

WrapperStep functionalizedRng(const CompiledFunction& function, bool isInference) {
    const bool applies = function.configuration.functorch.functionalizeRngOps;
    return {FunctionalizedRngRuntimeWrapper{isInference, forwardReturns(function.metadata)}, applies,
            applies ? "functionalize_rng_ops is on" : "functionalize_rng_ops is off"};
}

WrapperStep fakifiedOut(const CompiledFunction& function) {
    const bool applies = function.configuration.fakifyFirstCall;
    return {FakifiedOutWrapper{}, applies,
            applies ? "fakify_first_call is set: DDPOptimizer compiles the next part with these results"
                    : "fakify_first_call is not set: DDPOptimizer does not split this function"};
}

AOTDispatchAutograd autogradFunction(const CompiledFunction& function) {
    const ir::ViewAndMutationMeta& metadata = function.metadata;
    const std::vector<std::size_t> mutated = metadata.mutatedInputRuntimeIndices();
    AOTDispatchAutograd wrapper;
    wrapper.disableAmp = !function.configuration.state.autocasts.empty();
    wrapper.numForwardReturns = forwardReturns(metadata);
    if (function.partition) {
        const passes::Partition& partition = *function.partition;
        const std::size_t symbols = partition.savedSymbols.size();
        wrapper.saved = SavedForBackward{
            savedOutputs(function).value_or(symbols) - symbols,
            countOutputs<ir::SavedForBackwardsNoVcCheckAOTOutput>(*partition.forward), symbols};
    }
    for (std::size_t i = 0; i < mutated.size(); ++i) {
        const InputAliasInfo& input = metadata.inputInfo[mutated[i]];
        std::vector<std::size_t>& kind = isHidden(input)      ? wrapper.tensorAliases
                                         : input.requiresGrad ? wrapper.tangents
                                                              : wrapper.nonDifferentiable;
        kind.push_back(i);
    }
    for (std::size_t i = 0; i < metadata.outputInfo.size(); ++i) {
        const OutputAliasInfo& output = metadata.outputInfo[i];
        const std::size_t position = mutated.size() + i;
        if (output.outputType == OutputType::UnsafeViewAlias) {
            wrapper.unsafeViews.push_back(position);
        }
        if (isAliased(output)) {
            wrapper.tensorAliases.push_back(position);
        } else if (isTensor(output)) {
            (output.requiresGrad ? wrapper.tangents : wrapper.nonDifferentiable).push_back(position);
        }
    }
    for (std::size_t i = 0; i < metadata.numIntermediateBases; ++i) {
        wrapper.tangents.push_back(mutated.size() + metadata.outputInfo.size() + i);
    }
    return wrapper;
}

MutationEpilogue epilogueOf(const InputAliasInfo& input) {
    if (!input.mutatesData && !input.mutatesMetadata) {
        return MutationEpilogue::None;
    }
    if (input.mutatesStorageMetadata) {
        return MutationEpilogue::Set;
    }
    if (!input.mutatesData) {
        return MutationEpilogue::AsStrided;
    }
    if (input.isLeaf && input.requiresGrad) {
        return input.mutatesMetadata ? MutationEpilogue::AsStridedAndDetachedCopy
                                     : MutationEpilogue::DetachedCopy;
    }
    return input.mutatesMetadata ? MutationEpilogue::AsStridedAndCopy : MutationEpilogue::Copy;
}

OutputHandler handlerOf(const OutputAliasInfo& output, std::size_t outputs) {
    OutputHandler handler;
    handler.requiresGrad = output.requiresGrad;
    switch (output.outputType) {
    case OutputType::NonAlias:
    case OutputType::UnsafeViewAlias:
    case OutputType::CustomFunctionView:
        break;
    case OutputType::AliasOfInput:
        handler.handler = AliasHandler::AliasOfInput;
        handler.baseIdx = output.baseIdx;
        break;
    case OutputType::IsInput:
        handler.handler = AliasHandler::IsInput;
        handler.baseIdx = output.baseIdx;
        break;
    case OutputType::AliasOfIntermediate:
    case OutputType::AliasOfIntermediateSaveAsOutput:
        handler.handler = AliasHandler::AliasOfIntermediate;
        handler.baseIdx = output.baseIdx.value_or(0) + outputs;
        break;
    case OutputType::AliasOfIntermediateBaseIsUserOutput:
        handler.handler = AliasHandler::AliasOfIntermediate;
        handler.baseIdx = output.baseIdx;
        break;
    }
    return handler;
}

std::string runtimeReason(const RuntimeWrapper& wrapper, std::size_t aliases) {
    std::string text =
        wrapper.traceJoint ? "around every call, with grad mode on" : "around every call, with grad mode off";
    if (!wrapper.mutations.empty()) {
        text += "; writes back " + counted(wrapper.mutations.size(), "mutated input");
    }
    if (aliases > 0) {
        text += "; makes " + counted(aliases, "output") + " again from the tensors they share memory with";
    }
    if (!wrapper.indicesOfInpsToDetach.empty()) {
        text += "; detaches " + counted(wrapper.indicesOfInpsToDetach.size(), "input") +
                " that never get a gradient";
    }
    return text;
}

WrapperStep runtime(const CompiledFunction& function, bool traceJoint) {
    const ir::ViewAndMutationMeta& metadata = function.metadata;
    RuntimeWrapper wrapper;
    wrapper.traceJoint = traceJoint;
    wrapper.disableAmp = !function.configuration.state.autocasts.empty();
    if (traceJoint) {
        wrapper.indicesOfInpsToDetach = inputsToDetach(function);
    }
    for (const std::size_t index : metadata.mutatedGraphHandledIndices()) {
        if (function.configuration.keepInferenceInputMutations &&
            !metadata.inputInfo[index].mutationsHiddenFromAutograd) {
            wrapper.incrementVersion.push_back(index);
        }
    }
    for (const std::size_t index : metadata.mutatedInputRuntimeIndices()) {
        wrapper.mutations.push_back({index, epilogueOf(metadata.inputInfo[index])});
    }
    std::size_t aliases = 0;
    for (const OutputAliasInfo& output : metadata.outputInfo) {
        aliases += isAliased(output) ? 1 : 0;
        wrapper.outputs.push_back(handlerOf(output, metadata.outputInfo.size()));
        wrapper.dynamicDims.push_back(output.dynamicDims.value_or(std::vector<std::size_t>()));
    }
    wrapper.numIntermediateBases = metadata.numIntermediateBases;
    wrapper.gradEnabledMutation = metadata.gradEnabledMutation;
    std::string reason = runtimeReason(wrapper, aliases);
    return {std::move(wrapper), true, std::move(reason)};
}

WrapperStep debugAssert(const CompiledFunction& function) {
    const std::vector<ir::NodeId> placeholders = function.graph->placeholders();
    DebugAssertWrapper wrapper;
    const std::size_t tokens = countInputs<ir::ForwardTokenAOTInput>(*function.graph);
    for (std::size_t i = 0; i < function.metadata.inputInfo.size() && tokens + i < placeholders.size(); ++i) {
        const bool isTensor = ir::asTensor(function.graph->node(placeholders[tokens + i]).value) != nullptr;
        wrapper.flatRequiresGrad.push_back(
            isTensor ? std::optional(function.metadata.inputInfo[i].requiresGrad) : std::nullopt);
    }
    const bool applies = function.configuration.functorch.debugAssert;
    return {std::move(wrapper), applies, applies ? "debug_assert is on" : "debug_assert is off"};
}

} // namespace

std::vector<std::size_t> inputsToDetach(const CompiledFunction& function) {
    std::vector<std::size_t> indices;
    const std::vector<InputAliasInfo>& inputs = function.metadata.inputInfo;
    const auto gradients = gradientsOf(function);
    for (std::size_t i = 0; i < inputs.size() && i < gradients.size(); ++i) {
        const bool changedInGraph =
            inputs[i].mutationType() == MutationType::MutatedInGraph && inputs[i].mutatesStorageMetadata;
        const bool isNonLeaf = inputs[i].requiresGrad && !inputs[i].isLeaf;
        if (!gradients[i].valid() && !changedInGraph && isNonLeaf) {
            indices.push_back(i);
        }
    }
    return indices;
}

std::vector<WrapperStep> postCompileWrappers(const CompiledFunction& function) {
    std::vector<WrapperStep> wrappers;
    wrappers.reserve(9);
    if (function.path != TracePath::Export) {
        const bool traceJoint = function.path == TracePath::Autograd;
        wrappers.push_back(effectTokens(function));
        wrappers.push_back(subclasses(function));
        wrappers.push_back(functionalizedRng(function, !traceJoint));
        wrappers.push_back(fakifiedOut(function));
        if (traceJoint) {
            wrappers.push_back({autogradFunction(function), true, "the graph has a backward"});
        }
        wrappers.push_back(runtime(function, traceJoint));
        if (traceJoint) {
            wrappers.push_back(debugAssert(function));
        }
    }
    // post_compile visits the pre_compile wrappers in reverse order.
    if (const WrapperStep* bases = findWrapper<AOTSyntheticBaseWrapper>(function.wrappers)) {
        wrappers.push_back(*bases);
    }
    if (const WrapperStep* duplicates = findWrapper<AOTDedupeWrapper>(function.wrappers)) {
        wrappers.push_back(*duplicates);
    }
    return wrappers;
}

} // namespace aotscope::aot
