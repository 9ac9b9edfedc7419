#include "ir/aot_metadata_fields.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/python_literal.h"
#include "ir/text/descriptor_text.h"

namespace aotscope::ir {
namespace {

const char* pythonBool(bool value) {
    return value ? "True" : "False";
}

template<typename List, typename Text>
std::string joined(const List& list, const Text& text, const char* separator = ", ") {
    std::string out;
    for (const auto& item : list) {
        out += (out.empty() ? "" : separator) + text(item);
    }
    return out;
}

/// A field that not all releases have.
std::string ifKnown(const char* name, std::optional<bool> value) {
    return value ? std::string(",\n        ") + name + "=" + pythonBool(*value) : std::string();
}

std::string numbers(const std::vector<std::size_t>& list) {
    return joined(list, [](std::size_t number) { return std::to_string(number); });
}

std::string inputRepr(const InputAliasInfo& input) {
    const auto field = [&](const detail::InputField& each) {
        return std::string(each.name) + "=" + pythonBool(input.*each.member);
    };
    return "InputAliasInfo(" + joined(detail::inputFields, field, ",\n        ") +
           ifKnown(detail::shallowCopy, input.mutationIsShallowCopyData) + ")";
}

/// Members of OutputType count from 1.
std::string outputRepr(const OutputAliasInfo& output) {
    const std::string dims = !output.dynamicDims           ? "None"
                             : output.dynamicDims->empty() ? "set()"
                                                           : "{" + numbers(*output.dynamicDims) + "}";
    return "OutputAliasInfo(output_type=<OutputType." + std::string(base::wordOf(output.outputType)) + ": " +
           std::to_string(static_cast<int>(output.outputType) + 1) + ">,\n        raw_type=<class '" +
           output.rawType +
           "'>,\n        base_idx=" + (output.baseIndex ? std::to_string(*output.baseIndex) : "None") +
           ",\n        dynamic_dims=" + dims + ",\n        requires_grad=" + pythonBool(output.requiresGrad) +
           ifKnown(detail::gradForBackward, output.requiresGradForBackward) + ")";
}

std::string tuple(const SymInts& sizes) {
    return "(" + joined(sizes, [](const SymInt& size) { return size.text(); }) +
           (sizes.size() == 1 ? ",)" : ")");
}

std::string tangentMetaRepr(const TangentMeta& tangent) {
    const std::string index = std::to_string(tangent.unwrappedIndex);
    if (tangent.isSubclass) {
        return "SubclassCreationMeta(flat_tensor_start_idx=" + index + ")";
    }
    std::string format = "None";
    if (tangent.layout) {
        const TangentLayout& layout = *tangent.layout;
        format = "MemoryFormatMeta(size=" + (layout.size ? tuple(*layout.size) : "None") +
                 ", stride=" + (layout.stride ? tuple(*layout.stride) : "None") + ", memory_format=" +
                 (layout.memoryFormat.empty() ? "None" : "torch." + layout.memoryFormat) + ")";
    }
    return "PlainTensorMeta(unwrapped_idx=" + index + ", memory_format=" + format + ")";
}

/// As the innermost frame of a traceback.
std::string sourceRepr(const std::optional<SourceLocation>& source) {
    return source ? pythonString("  File \"" + source->file + "\", line " + std::to_string(source->line) +
                                 ", in " + source->function + "\n    " + source->code + "\n")
                  : "None";
}

std::string collectiveRepr(const CollectiveInput& input) {
    return "(" + std::to_string(input.input) + ", (" + joined(input.attributes, pythonString) +
           (input.attributes.size() == 1 ? ",))" : "))");
}

/// As FakeTensor prints itself: what is the default is left out.
std::string tensorRepr(const TensorMeta& tensor) {
    std::string text = "FakeTensor(...";
    if (tensor.device && tensor.device->type != "cpu") {
        text += ", device='" + tensor.device->text() + "'";
    }
    text += ", size=" + tuple(tensor.shape);
    if (tensor.dtype != DType::Float32 && tensor.dtype != DType::Unknown) {
        text += ", dtype=torch." + std::string(dtypeName(tensor.dtype));
    }
    return text + ")";
}

} // namespace

std::string metadataToRepr(const ViewAndMutationMeta& metadata) {
    std::string text = "ViewAndMutationMeta(input_info=[" + joined(metadata.inputInfo, inputRepr, ",\n    ") +
                       "],\n    output_info=[" + joined(metadata.outputInfo, outputRepr, ",\n    ");
    const auto field = [&](const char* name, const std::string& value) {
        text += std::string(",\n    ") + name + "=" + value;
    };
    text += "]";
    field("num_intermediate_bases", std::to_string(metadata.numIntermediateBases));
    field("keep_input_mutations", pythonBool(metadata.keepInputMutations));
    field("traced_tangents", "[" + joined(metadata.tracedTangents, tensorRepr, ",\n        ") + "]");
    field("traced_tangents_descs", "[" + joined(metadata.tracedTangentsDescs, [](const AOTInput& descriptor) {
                                       return descriptorText(descriptor);
                                   }) + "]");
    if (metadata.tangentMetas) {
        field(detail::tangentMetas,
              "[" + joined(*metadata.tangentMetas, tangentMetaRepr, ",\n        ") + "]");
    }
    if (metadata.isTrain) {
        field("is_train", pythonBool(*metadata.isTrain));
    }
    field("grad_enabled_mutation",
          metadata.gradEnabledMutation ? pythonBool(*metadata.gradEnabledMutation) : "None");
    field("deterministic", pythonBool(metadata.deterministic));
    field("static_input_indices", "[" + numbers(metadata.staticInputIndices) + "]");
    field(detail::backwardMutations,
          "[" + numbers(metadata.indicesOfInputsThatRequireGradWithMutationsInBackward) + "]");
    if (metadata.collectiveInputs) {
        field(detail::collectiveInputs, "[" + joined(*metadata.collectiveInputs, collectiveRepr) + "]");
    }
    if (metadata.tangentSources) {
        field(detail::tangentSources,
              "[" + joined(*metadata.tangentSources, sourceRepr, ",\n        ") + "]");
    }
    return text + ")";
}

} // namespace aotscope::ir
