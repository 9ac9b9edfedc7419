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

constexpr int outputTypes = 8;

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

Json inputJson(const InputAliasInfo& input) {
    Json json{{"_class", "InputAliasInfo"}};
    for (const detail::InputField& field : detail::inputFields) {
        json[field.name] = input.*field.member;
    }
    json["mutation_type"] = mutationTypeName(input.mutationType());
    return json;
}

Json outputJson(const OutputAliasInfo& output) {
    Json json{{"_class", "OutputAliasInfo"}};
    json["output_type"] = {{"enum", "OutputType." + std::string(outputTypeName(output.outputType))}};
    json["raw_type"] = {{"type", output.rawType}};
    json["base_idx"] = output.baseIndex ? Json(*output.baseIndex) : Json(nullptr);
    json["dynamic_dims"] = output.dynamicDims ? Json(*output.dynamicDims) : Json(nullptr);
    json["requires_grad"] = output.requiresGrad;
    return json;
}

/// Reads fields of one object; the first that is of another form stays in `wrong`.
class Reader {
public:
    std::string wrong;

    ViewAndMutationMeta metadata(const Json& json) {
        ViewAndMutationMeta meta;
        for (const Json& input : list(json, "input_info")) {
            meta.inputInfo.push_back(this->input(input));
        }
        for (const Json& output : list(json, "output_info")) {
            meta.outputInfo.push_back(this->output(output));
        }
        meta.numIntermediateBases = number(json, "num_intermediate_bases").value_or(0);
        meta.keepInputMutations = flag(json, "keep_input_mutations");
        for (const Json& tangent : list(json, "traced_tangents")) {
            meta.tracedTangents.push_back(tensor(tangent));
        }
        for (const Json& descriptor : list(json, "traced_tangents_descs")) {
            meta.tracedTangentsDescs.push_back(parseInputDescriptor(
                descriptor.is_string() ? descriptor.get<std::string>() : reprOfDescriptor(descriptor)));
        }
        meta.isTrain = flag(json, "is_train");
        if (json.contains("grad_enabled_mutation") && json["grad_enabled_mutation"].is_boolean()) {
            meta.gradEnabledMutation = json["grad_enabled_mutation"].get<bool>();
        }
        meta.deterministic = flag(json, "deterministic");
        meta.staticInputIndices = numbers(json, "static_input_indices");
        meta.indicesOfInputsThatRequireGradWithMutationsInBackward = numbers(json, detail::backwardMutations);
        return meta;
    }

private:
    void complain(const std::string& field) {
        if (wrong.empty()) {
            wrong = field;
        }
    }
    const Json& list(const Json& json, const char* field) {
        static const Json none = Json::array();
        if (!json.contains(field) || !json[field].is_array()) {
            complain(field);
            return none;
        }
        return json[field];
    }
    bool flag(const Json& json, const char* field) {
        if (json.contains(field) && json[field].is_null()) {
            return false;
        }
        if (!json.contains(field) || !json[field].is_boolean()) {
            complain(field);
            return false;
        }
        return json[field].get<bool>();
    }
    std::optional<std::size_t> number(const Json& json, const char* field) {
        if (!json.contains(field) || json[field].is_null()) {
            return std::nullopt;
        }
        if (!json[field].is_number_integer() || json[field].get<std::int64_t>() < 0) {
            complain(field);
            return std::nullopt;
        }
        return json[field].get<std::size_t>();
    }
    std::vector<std::size_t> numbers(const Json& json, const char* field) {
        std::vector<std::size_t> out;
        // A set without elements reads as an object: "{}".
        if (json.contains(field) && json[field].is_object()) {
            return out;
        }
        for (const Json& item : list(json, field)) {
            if (item.is_number_integer() && item.get<std::int64_t>() >= 0) {
                out.push_back(item.get<std::size_t>());
            } else {
                complain(field);
            }
        }
        return out;
    }
    InputAliasInfo input(const Json& json) {
        InputAliasInfo input;
        for (const detail::InputField& field : detail::inputFields) {
            input.*field.member = flag(json, field.name);
        }
        return input;
    }
    OutputAliasInfo output(const Json& json) {
        OutputAliasInfo output;
        const std::string name = inner(json, "output_type", "enum");
        bool known = false;
        for (int i = 0; i < outputTypes; ++i) {
            const auto type = static_cast<OutputType>(i);
            if (name == "OutputType." + std::string(outputTypeName(type))) {
                output.outputType = type;
                known = true;
            }
        }
        if (!known) {
            complain("output_type");
        }
        output.rawType = inner(json, "raw_type", "type");
        output.baseIndex = number(json, "base_idx");
        if (json.contains("dynamic_dims") && !json["dynamic_dims"].is_null()) {
            output.dynamicDims = numbers(json, "dynamic_dims");
            std::ranges::sort(*output.dynamicDims);
        }
        output.requiresGrad = flag(json, "requires_grad");
        return output;
    }
    static std::string inner(const Json& json, const char* field, const char* key) {
        return json.contains(field) && json[field].is_object() && json[field].contains(key) &&
                       json[field][key].is_string()
                   ? json[field][key].get<std::string>()
                   : std::string();
    }
    static SymInts sizes(const Json& json) {
        SymInts out;
        for (const Json& size : json) {
            if (size.is_number_integer()) {
                out.emplace_back(size.get<std::int64_t>());
            } else if (size.is_object() && size.contains("symint") && size["symint"].is_string()) {
                out.emplace_back(SymExpr(size["symint"].get<std::string>()));
            } else {
                out.emplace_back(SymExpr(size.dump()));
            }
        }
        return out;
    }
    static TensorMeta tensor(const Json& json) {
        TensorMeta tensor;
        if (!json.is_object()) {
            return tensor;
        }
        if (json.contains("repr") || json.contains("inner")) {
            // A subclass prints as it likes: only that it is one is known.
            tensor.subclass = std::make_shared<SubclassMeta>();
        }
        if (json.contains("shape") && json["shape"].is_array()) {
            tensor.shape = sizes(json["shape"]);
        }
        if (json.contains("stride") && json["stride"].is_array()) {
            tensor.stride = sizes(json["stride"]);
        }
        if (json.contains("storage_offset")) {
            const SymInts offset = sizes(Json::array({json["storage_offset"]}));
            tensor.storageOffset = offset.empty() ? std::nullopt : std::optional(offset.front());
        }
        if (json.contains("dtype") && json["dtype"].is_string()) {
            tensor.dtype = dtypeFromName(json["dtype"].get<std::string>()).value_or(DType::Unknown);
        }
        if (json.contains("device") && json["device"].is_string()) {
            tensor.device = Device::parse(json["device"].get<std::string>());
        }
        return tensor;
    }
    /// Back to the repr: "TangentAOTInput(output=PlainAOTOutput(idx=0))".
    static std::string reprOfDescriptor(const Json& json) {
        if (json.is_string()) {
            return pythonString(json.get<std::string>());
        }
        if (!json.is_object() || !json.contains("_class")) {
            return json.is_null() ? "None" : json.dump();
        }
        std::string text = json["_class"].get<std::string>() + "(";
        for (const auto& [key, value] : json.items()) {
            if (key != "_class") {
                text += (text.ends_with('(') ? "" : ", ") + key + "=" + reprOfDescriptor(value);
            }
        }
        return text + ")";
    }
};

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
    json["is_train"] = metadata.isTrain;
    json["grad_enabled_mutation"] =
        metadata.gradEnabledMutation ? Json(*metadata.gradEnabledMutation) : Json(nullptr);
    json["deterministic"] = metadata.deterministic;
    json["static_input_indices"] = metadata.staticInputIndices;
    json[detail::backwardMutations] = metadata.indicesOfInputsThatRequireGradWithMutationsInBackward;
    json["derived.mutated_inp_runtime_indices"] = metadata.mutatedInputRuntimeIndices();
    json["derived.mutated_graph_handled_indices"] = metadata.mutatedGraphHandledIndices();
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<ViewAndMutationMeta> metadataFromJson(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return base::Error{.code = "ir.json_syntax", .message = "The metadata is not a JSON object."};
    }
    Reader reader;
    ViewAndMutationMeta metadata = reader.metadata(json);
    if (!reader.wrong.empty()) {
        return base::Error{.code = "ir.metadata_form",
                           .message = "The metadata has no such \"" + reader.wrong +
                                      "\" as ViewAndMutationMeta of torch 2.11 has."};
    }
    return metadata;
}

base::Result<ViewAndMutationMeta> metadataFromRepr(std::string_view text) {
    auto json = jsonFromRepr(text);
    if (!json) {
        return std::move(json).error();
    }
    return metadataFromJson(*json);
}

} // namespace aotscope::ir
