#include "ir/json/aot_metadata_json.h"

#include "ir/aot_metadata_fields.h"
#include "ir/python_literal.h"
#include "ir/python_repr.h"
#include "ir/text/descriptor_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace aotscope::ir {
namespace {

using Json = nlohmann::ordered_json;

Json sizeJson(const SymInt& size) {
    return size.isSymbolic() ? Json{{"symint", size.text()}} : Json(size.integer());
}

Json sizesJson(const SymInts& sizes) {
    Json list = Json::array();
    for (const SymInt& size : sizes) {
        list.push_back(sizeJson(size));
    }
    return list;
}

Json tensorJson(const TensorMeta& tensor) {
    Json json{{"kind", "tensor"}, {"dtype", dtypeName(tensor.dtype)}, {"shape", sizesJson(tensor.shape)}};
    if (tensor.stride) {
        json["stride"] = sizesJson(*tensor.stride);
    }
    if (tensor.storageOffset) {
        json["storage_offset"] = sizeJson(*tensor.storageOffset);
    }
    if (tensor.device) {
        json["device"] = tensor.device->text();
    }
    json["requires_grad"] = tensor.requiresGrad.value_or(false);
    return json;
}

/// A descriptor's repr as the golden files have it; kept as text where it cannot be read.
Json descriptorJson(const AOTInput& descriptor) {
    const std::string text = descriptorText(descriptor);
    auto json = jsonFromRepr(text);
    return json ? Json::parse(*json) : Json(text);
}

void addIfKnown(Json& json, const char* field, std::optional<bool> value) {
    if (value) {
        json[field] = *value;
    }
}

Json inputJson(const InputAliasInfo& input) {
    Json json{{"_class", "InputAliasInfo"}};
    for (const detail::InputField& field : detail::inputFields) {
        json[field.name] = input.*field.member;
    }
    addIfKnown(json, detail::shallowCopy, input.mutationIsShallowCopyData);
    json["mutation_type"] = base::wordOf(input.mutationType());
    return json;
}

Json outputJson(const OutputAliasInfo& output) {
    Json json{{"_class", "OutputAliasInfo"}};
    json["output_type"] = {{"enum", "OutputType." + std::string(base::wordOf(output.outputType))}};
    if (!output.rawType.empty()) {
        json["raw_type"] = {{"type", output.rawType}};
    }
    json["base_idx"] = output.baseIndex ? Json(*output.baseIndex) : Json(nullptr);
    json["dynamic_dims"] = output.dynamicDims ? Json(*output.dynamicDims) : Json(nullptr);
    json["requires_grad"] = output.requiresGrad;
    addIfKnown(json, detail::gradForBackward, output.requiresGradForBackward);
    if (output.views) {
        json[detail::views] = *output.views;
    }
    return json;
}

Json tangentMetaJson(const TangentMeta& tangent) {
    if (tangent.isSubclass) {
        return {{"_class", "SubclassCreationMeta"}, {"flat_tensor_start_idx", tangent.unwrappedIndex}};
    }
    Json json{{"_class", "PlainTensorMeta"}, {"unwrapped_idx", tangent.unwrappedIndex}};
    if (!tangent.layout) {
        json["memory_format"] = nullptr;
        return json;
    }
    const TangentLayout& layout = *tangent.layout;
    json["memory_format"] = {{"_class", "MemoryFormatMeta"},
                             {"size", layout.size ? sizesJson(*layout.size) : Json(nullptr)},
                             {"stride", layout.stride ? sizesJson(*layout.stride) : Json(nullptr)},
                             {"memory_format", layout.memoryFormat.empty()
                                                   ? Json(nullptr)
                                                   : Json("torch." + layout.memoryFormat)}};
    return json;
}

/// As the innermost frame of a traceback.
Json sourceJson(const std::optional<SourceLocation>& source) {
    return source ? Json("  File \"" + source->file + "\", line " + std::to_string(source->line) + ", in " +
                         source->function + "\n    " + source->code + "\n")
                  : Json(nullptr);
}

/// The fields that not all releases have.
void addOptional(Json& json, const ViewAndMutationMeta& metadata) {
    if (metadata.tangentMetas) {
        Json& list = json[detail::tangentMetas] = Json::array();
        for (const TangentMeta& tangent : *metadata.tangentMetas) {
            list.push_back(tangentMetaJson(tangent));
        }
    }
    if (metadata.tangentSources) {
        Json& list = json[detail::tangentSources] = Json::array();
        for (const std::optional<SourceLocation>& source : *metadata.tangentSources) {
            list.push_back(sourceJson(source));
        }
    }
    if (metadata.collectiveInputs) {
        Json& list = json[detail::collectiveInputs] = Json::array();
        for (const CollectiveInput& input : *metadata.collectiveInputs) {
            list.push_back(Json::array({input.input, input.attributes}));
        }
    }
}

Json otherFieldsJson(const ViewAndMutationMeta& metadata) {
    Json others = Json::object();
    for (const OtherField& field : metadata.otherFields) {
        others.push_back({field.path, field.text});
    }
    return others;
}

} // namespace

std::string metadataToJson(const ViewAndMutationMeta& metadata) {
    Json json{{"_class", "ViewAndMutationMeta"}};
    json["input_info"] = Json::array();
    for (const InputAliasInfo& input : metadata.inputInfo) {
        json["input_info"].push_back(inputJson(input));
    }
    json["output_info"] = Json::array();
    for (const OutputAliasInfo& output : metadata.outputInfo) {
        json["output_info"].push_back(outputJson(output));
    }
    json["num_intermediate_bases"] = metadata.numIntermediateBases;
    json["keep_input_mutations"] = metadata.keepInputMutations;
    json["traced_tangents"] = Json::array();
    for (const TensorMeta& tangent : metadata.tracedTangents) {
        json["traced_tangents"].push_back(tensorJson(tangent));
    }
    json["traced_tangents_descs"] = Json::array();
    for (const AOTInput& descriptor : metadata.tracedTangentsDescs) {
        json["traced_tangents_descs"].push_back(descriptorJson(descriptor));
    }
    addIfKnown(json, "is_train", metadata.isTrain);
    json["grad_enabled_mutation"] =
        metadata.gradEnabledMutation ? Json(*metadata.gradEnabledMutation) : Json(nullptr);
    json["deterministic"] = metadata.deterministic;
    json["static_input_indices"] = metadata.staticInputIndices;
    json[detail::backwardMutations] = metadata.indicesOfInputsThatRequireGradWithMutationsInBackward;
    addOptional(json, metadata);
    if (!metadata.otherFields.empty()) {
        json["other_fields"] = otherFieldsJson(metadata);
    }
    json["derived.mutated_inp_runtime_indices"] = metadata.mutatedInputRuntimeIndices();
    json["derived.mutated_graph_handled_indices"] = metadata.mutatedGraphHandledIndices();
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace aotscope::ir
