#pragma once

#include "ir/descriptor.h"
#include "ir/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The metadata that AOTAutograd collects about a function before it traces it: which inputs it mutates, and
/// what its outputs alias. Follows torch 2.11, torch/_functorch/_aot_autograd/schemas.py: MutationType,
/// InputAliasInfo, OutputType, OutputAliasInfo, ViewAndMutationMeta. Field names and meanings are PyTorch's.
namespace aotscope::ir {

enum class MutationType : std::uint8_t { NotMutated, MutatedInGraph, MutatedOutGraph };

/// "NOT_MUTATED"
[[nodiscard]] std::string_view mutationTypeName(MutationType type);

/// One input of the traced function.
struct InputAliasInfo {
    bool isLeaf = false;
    bool mutatesData = false;
    bool mutatesMetadata = false;
    bool mutationsHiddenFromAutograd = true;
    bool mutationsUnderNoGradOrInferenceMode = false;
    bool mutationInductorStorageResize = false;
    /// `set_` gave the tensor another storage.
    bool mutatesStorageMetadata = false;
    bool requiresGrad = false;
    bool keepInputMutations = false;

    /// Whether the mutation stays in the graph as an epilogue, or the runtime wrapper applies it.
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

/// One output of the traced function.
struct OutputAliasInfo {
    OutputType outputType = OutputType::NonAlias;
    /// The name of the Python type: "FunctionalTensor" for a tensor, "SymInt", "int", "NoneType", …
    std::string rawType;
    /// Index of the input, output or intermediate base that it aliases; nothing: none.
    std::optional<std::size_t> baseIndex;
    /// Dimensions with symbolic sizes; nothing: the output is not a tensor.
    std::optional<std::vector<std::size_t>> dynamicDims;
    bool requiresGrad = false;
    friend bool operator==(const OutputAliasInfo&, const OutputAliasInfo&) = default;
};

struct ViewAndMutationMeta {
    std::vector<InputAliasInfo> inputInfo;
    std::vector<OutputAliasInfo> outputInfo;
    /// Intermediate tensors that are returned in addition to the outputs, because outputs are views of them.
    std::size_t numIntermediateBases = 0;
    bool keepInputMutations = false;
    /// The outputs that get a gradient in the backward, as traced, and their descriptors
    /// (`# TangentAOTInput(output=PlainAOTOutput(idx=0))`).
    std::vector<TensorMeta> tracedTangents;
    std::vector<AOTInput> tracedTangentsDescs;
    bool isTrain = false;
    /// The grad mode that the function leaves behind, if it changes it.
    std::optional<bool> gradEnabledMutation;
    bool deterministic = false;
    /// Inputs whose address does not change between calls (parameters and buffers).
    std::vector<std::size_t> staticInputIndices;
    std::vector<std::size_t> indicesOfInputsThatRequireGradWithMutationsInBackward;

    /// Inputs whose mutation the runtime wrapper applies, and those whose mutation is in the graph.
    [[nodiscard]] std::vector<std::size_t> mutatedInputRuntimeIndices() const;
    [[nodiscard]] std::vector<std::size_t> mutatedGraphHandledIndices() const;
};

} // namespace aotscope::ir
