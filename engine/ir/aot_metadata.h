#pragma once

#include "ir/descriptor.h"
#include "ir/graph.h"
#include "ir/value.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The metadata that AOTAutograd collects about a function before it traces it: which inputs it mutates, and
/// what its outputs alias. Follows torch 2.11 and 2.15, torch/_functorch/_aot_autograd/schemas.py:
/// MutationType, InputAliasInfo, OutputType, OutputAliasInfo, MemoryFormatMeta, PlainTensorMeta,
/// ViewAndMutationMeta. Field names and meanings are PyTorch's. A field that only some releases have is an
/// optional, empty for the others.
namespace aotscope::ir {

enum class MutationType : std::uint8_t { NotMutated, MutatedInGraph, MutatedOutGraph };
AOTSCOPE_WORDS(MutationType, "NOT_MUTATED", "MUTATED_IN_GRAPH", "MUTATED_OUT_GRAPH")

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
    /// torch 2.15: the program assigned `x.data = y` (shallow_copy_data_). False for a synthetic base and for
    /// what is no plain tensor.
    std::optional<bool> mutationIsShallowCopyData = {};

    /// Whether the mutation stays in the graph as an epilogue, or the runtime wrapper applies it.
    [[nodiscard]] MutationType mutationType() const;
    friend bool operator==(const InputAliasInfo&, const InputAliasInfo&) = default;
};
AOTSCOPE_MEMBERS(InputAliasInfo, isLeaf, mutatesData, mutatesMetadata, mutationsHiddenFromAutograd,
                 mutationsUnderNoGradOrInferenceMode, mutationInductorStorageResize, mutatesStorageMetadata,
                 requiresGrad, keepInputMutations, mutationIsShallowCopyData)

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
AOTSCOPE_WORDS(OutputType, "non_alias", "alias_of_input", "is_input", "alias_of_intermediate_save_as_output",
               "alias_of_intermediate", "alias_of_intermediate_base_is_user_output", "unsafe_view_alias",
               "custom_function_view")

/// One output of the traced function.
struct OutputAliasInfo {
    OutputType outputType = OutputType::NonAlias;
    /// The name of the Python type: "FunctionalTensor" for a tensor, "SymInt", "int", "NoneType", …
    std::string rawType;
    /// Index of the input, output or intermediate base that it aliases; nothing: none.
    std::optional<std::size_t> baseIdx;
    /// Dimensions with symbolic sizes; nothing: the output is not a tensor.
    std::optional<std::vector<std::size_t>> dynamicDims;
    bool requiresGrad = false;
    /// torch 2.15: the output gets a tangent. Like requiresGrad, but false for a view that was created under
    /// no_grad, which has its base's requires_grad and no grad_fn.
    std::optional<bool> requiresGradForBackward = {};
    /// The views that led from a tensor to the output when it was traced (`view_meta_sequence`), as the text
    /// of a graph with one input: a call applies them to what the output aliases. Nothing: none are kept, as
    /// with symbolic sizes; not known of a log.
    std::optional<std::string> views = {};
    friend bool operator==(const OutputAliasInfo&, const OutputAliasInfo&) = default;
};
AOTSCOPE_MEMBERS(OutputAliasInfo, outputType, rawType, baseIdx, dynamicDims, requiresGrad,
                 requiresGradForBackward, views)

/// How a tangent is expected to lie in memory (MemoryFormatMeta): either sizes and strides, or one of
/// PyTorch's memory formats.
struct TangentLayout {
    /// Tensors with sizes and strides have both; others neither.
    std::optional<SymInts> size;
    std::optional<SymInts> stride;
    /// "contiguous_format", "channels_last", …; empty: none.
    std::string memoryFormat;
    friend bool operator==(const TangentLayout&, const TangentLayout&) = default;
};
AOTSCOPE_MEMBERS(TangentLayout, size, stride, memoryFormat)

/// One of subclass_tangent_meta, subclass_inp_meta or subclass_fw_graph_out_meta.
struct TangentMeta {
    /// A tensor subclass (SubclassCreationMeta), of which no more is known here.
    bool isSubclass = false;
    /// Its place in the graph, where a subclass takes a place for each inner tensor.
    std::size_t unwrappedIdx = 0;
    /// Of tangents alone. Nothing: PyTorch has none, as for a value that is no tensor.
    std::optional<TangentLayout> layout;
    friend bool operator==(const TangentMeta&, const TangentMeta&) = default;
};
AOTSCOPE_MEMBERS(TangentMeta, isSubclass, unwrappedIdx, layout)

/// An input, or a tensor in a subclass input, that a collective was still writing to when it was compiled.
struct CollectiveInput {
    std::size_t input = 0;
    /// Attributes from the input to the tensor; empty: the input itself.
    std::vector<std::string> attributes;
    friend bool operator==(const CollectiveInput&, const CollectiveInput&) = default;
};
AOTSCOPE_MEMBERS(CollectiveInput, input, attributes)

/// A logged field that has no place in the values here, as text.
struct OtherField {
    /// "input_info[2].new_flag"
    std::string path;
    std::string text;
    friend bool operator==(const OtherField&, const OtherField&) = default;
};
AOTSCOPE_MEMBERS(OtherField, path, text)

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
    /// One for each input; each mutated input, output and intermediate base that the forward returns; each
    /// tangent. PyTorch leaves the first two empty where it merged arguments.
    std::optional<std::vector<TangentMeta>> subclassInpMeta;
    std::optional<std::vector<TangentMeta>> subclassFwGraphOutMeta;
    std::optional<std::vector<TangentMeta>> subclassTangentMeta;
    /// torch 2.15: for each tangent the program's line that computed the
    /// output, the innermost of its stack; nothing where PyTorch knows none.
    std::optional<std::vector<std::optional<SourceLocation>>> tangentSourceStackTraces;
    /// torch 2.11; torch 2.15 has no such field.
    std::optional<bool> isTrain;
    /// The grad mode that the function leaves behind, if it changes it.
    std::optional<bool> gradEnabledMutation;
    bool deterministic = false;
    /// Inputs whose address does not change between calls (parameters and buffers).
    std::vector<std::size_t> staticInputIndices;
    std::vector<std::size_t> indicesOfInputsThatRequiresGradWithMutationsInBw;
    /// torch 2.15.
    std::optional<std::vector<CollectiveInput>> actInputPaths;

    /// Of logged metadata: the fields that have no place above, in their order, and the paths of those above
    /// that are missing or have another form. Neither is compared.
    std::vector<OtherField> otherFields;
    std::set<std::string, std::less<>> unreadFields;

    /// Inputs whose mutation the runtime wrapper applies, and those whose mutation is in the graph.
    [[nodiscard]] std::vector<std::size_t> mutatedInputRuntimeIndices() const {
        return inputsWith(MutationType::MutatedOutGraph);
    }
    [[nodiscard]] std::vector<std::size_t> mutatedGraphHandledIndices() const {
        return inputsWith(MutationType::MutatedInGraph);
    }
    [[nodiscard]] std::vector<std::size_t> inputsWith(MutationType type) const;
};
AOTSCOPE_MEMBERS(ViewAndMutationMeta, inputInfo, outputInfo, numIntermediateBases, keepInputMutations,
                 tracedTangents, tracedTangentsDescs, subclassInpMeta, subclassFwGraphOutMeta,
                 subclassTangentMeta, tangentSourceStackTraces, isTrain, gradEnabledMutation, deterministic,
                 staticInputIndices, indicesOfInputsThatRequiresGradWithMutationsInBw, actInputPaths,
                 otherFields, unreadFields)

/// An unset flag is None in PyTorch if it is the grad mode; else the release has no such field.
[[nodiscard]] constexpr bool isOfThisRelease(std::string_view name, std::optional<bool> flag) {
    return flag.has_value() || name == "grad_enabled_mutation";
}

} // namespace aotscope::ir
