#pragma once

#include "ir/descriptor.h"
#include "ir/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What AOTAutograd finds out about a function before it traces it: which inputs it mutates and which outputs
/// alias what (torch._functorch._aot_autograd.schemas). Field names and meanings are PyTorch's.
namespace aotscope::ir {

enum class MutationType : std::uint8_t { NotMutated, MutatedInGraph, MutatedOutGraph };

/// "NOT_MUTATED"
[[nodiscard]] std::string_view mutationTypeName(MutationType type);

/// InputAliasInfo: one input of the traced function.
struct InputAliasInfo {
    bool isLeaf = false;
    bool mutatesData = false;
    bool mutatesMetadata = false;
    bool mutationsHiddenFromAutograd = true;
    bool mutationsUnderNoGradOrInferenceMode = false;
    bool mutationInductorStorageResize = false;
    /// The tensor was given another storage (`set_`).
    bool mutatesStorageMetadata = false;
    bool requiresGrad = false;
    bool keepInputMutations = false;

    /// Whether the mutation can stay in the graph as an epilogue, or is left to the run-time wrapper.
    [[nodiscard]] MutationType mutationType() const;
    friend bool operator==(const InputAliasInfo&, const InputAliasInfo&) = default;
};

enum class OutputType : std::uint8_t {
    NonAlias,
    AliasOfInput,
    IsInput,
    AliasOfIntermediateSaveAsOutput,
    AliasOfIntermediate,
    AliasOfIntermediateBaseIsUserOutput,
    UnsafeViewAlias,
    CustomFunctionView,
};

/// "alias_of_input"
[[nodiscard]] std::string_view outputTypeName(OutputType type);

/// OutputAliasInfo: one output of the traced function.
struct OutputAliasInfo {
    OutputType outputType = OutputType::NonAlias;
    /// "FunctionalTensor" for a tensor, "SymInt", "int", "NoneType"… as Python names the type.
    std::string rawType;
    /// Index of the input, output or intermediate base that it aliases; nothing: none.
    std::optional<std::size_t> baseIndex;
    /// Dimensions with symbolic sizes; nothing when the output is no tensor.
    std::optional<std::vector<std::size_t>> dynamicDims;
    bool requiresGrad = false;
    friend bool operator==(const OutputAliasInfo&, const OutputAliasInfo&) = default;
};

struct ViewAndMutationMeta {
    std::vector<InputAliasInfo> inputInfo;
    std::vector<OutputAliasInfo> outputInfo;
    /// Intermediate tensors returned beside the outputs, because outputs are views of them.
    std::size_t numIntermediateBases = 0;
    bool keepInputMutations = false;
    /// Outputs that get a gradient in the backward, as they are when traced, with their descriptors
    /// (`# TangentAOTInput(output=PlainAOTOutput(idx=0))`).
    std::vector<TensorMeta> tracedTangents;
    std::vector<AOTInput> tracedTangentsDescs;
    bool isTrain = false;
    /// Set when the function leaves grad mode changed: to what.
    std::optional<bool> gradEnabledMutation;
    bool deterministic = false;
    /// Inputs whose address does not change between calls (parameters and buffers).
    std::vector<std::size_t> staticInputIndices;
    std::vector<std::size_t> indicesOfInputsThatRequireGradWithMutationsInBackward;

    /// Inputs whose mutation is applied outside of the graph, and those whose mutation is in it.
    [[nodiscard]] std::vector<std::size_t> mutatedInputRuntimeIndices() const;
    [[nodiscard]] std::vector<std::size_t> mutatedGraphHandledIndices() const;
};

} // namespace aotscope::ir
