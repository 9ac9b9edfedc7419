#include "ir/aot_metadata_fields.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/json/python_text.h"
#include "ir/python_repr.h"
#include "ir/source_stack.h"
#include "ir/text/descriptor_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace aotscope::ir {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* ownOtherFields = "other_fields";

/// Reads what has a place in the values, and keeps the rest as text.
class Reader {
public:
    ViewAndMutationMeta meta;

    void read(const Json& json) {
        each(json, "input_info", [&](const Json& input, const std::string& path) {
            meta.inputInfo.push_back(this->input(input, path + "."));
        });
        each(json, "output_info", [&](const Json& output, const std::string& path) {
            meta.outputInfo.push_back(this->output(output, path + "."));
        });
        meta.numIntermediateBases = number(json, "", "num_intermediate_bases").value_or(0);
        meta.keepInputMutations = flag(json, "", "keep_input_mutations").value_or(false);
        each(json, "traced_tangents", [&](const Json& tangent, const std::string&) {
            meta.tracedTangents.push_back(tensor(tangent));
        });
        each(json, "traced_tangents_descs", [&](const Json& descriptor, const std::string&) {
            meta.tracedTangentsDescs.push_back(parseInputDescriptor(
                descriptor.is_string() ? descriptor.get<std::string>() : detail::pythonText(descriptor)));
        });
        readTangents(json);
        meta.isTrain = optionalFlag(json, "", "is_train");
        meta.gradEnabledMutation = optionalFlag(json, "", "grad_enabled_mutation");
        meta.deterministic = flag(json, "", "deterministic").value_or(false);
        meta.staticInputIndices = numbers(json, "", "static_input_indices");
        meta.indicesOfInputsThatRequireGradWithMutationsInBackward =
            numbers(json, "", detail::backwardMutations);
        readCollectives(json);
        keepOthers(json, "",
                   {"input_info", "output_info", "num_intermediate_bases", "keep_input_mutations",
                    "traced_tangents", "traced_tangents_descs", detail::tangentMetas, detail::tangentSources,
                    "is_train", "grad_enabled_mutation", "deterministic", "static_input_indices",
                    detail::backwardMutations, detail::collectiveInputs, ownOtherFields});
        readOwnOthers(json);
    }

    /// Whether any of PyTorch's fields was there: text of something else has none.
    [[nodiscard]] bool foundAny() const { return m_found; }

private:
    /// The field is missing, or has another form and is kept as text.
    void complain(const Json& json, const std::string& path, const char* field) {
        meta.unreadFields.insert(path + field);
        if (json.is_object() && json.contains(field)) {
            meta.otherFields.push_back({path + field, detail::pythonText(json[field])});
        }
    }

    /// All fields but the `known` ones, and those that this program derives.
    void keepOthers(const Json& json, const std::string& path, std::initializer_list<const char*> known) {
        if (!json.is_object()) {
            return;
        }
        for (const auto& [key, value] : json.items()) {
            const std::string& name = key;
            const bool isKnown = name == "_class" || name.starts_with("derived.") ||
                                 std::ranges::any_of(known, [&](const char* each) { return name == each; });
            if (!isKnown) {
                meta.otherFields.push_back({path + name, detail::pythonText(value)});
            }
        }
    }

    /// Null if the field is missing.
    static const Json* tryField(const Json& json, const char* field) {
        return json.is_object() && json.contains(field) ? &json[field] : nullptr;
    }

    template<typename Visit>
    void each(const Json& json, const char* field, const Visit& visit) {
        const Json* items = tryField(json, field);
        if (items == nullptr || !items->is_array()) {
            complain(json, "", field);
            return;
        }
        m_found = true;
        for (std::size_t i = 0; i < items->size(); ++i) {
            visit((*items)[i], std::string(field) + '[' + std::to_string(i) + ']');
        }
    }

    /// Nothing also for None, which PyTorch writes for a field that it has not set yet.
    std::optional<bool> flag(const Json& json, const std::string& path, const char* field) {
        const Json* value = tryField(json, field);
        if (value != nullptr && value->is_boolean()) {
            m_found = true;
            return value->get<bool>();
        }
        if (value == nullptr || !value->is_null()) {
            complain(json, path, field);
        }
        return std::nullopt;
    }

    /// A field that not all releases have.
    std::optional<bool> optionalFlag(const Json& json, const std::string& path, const char* field) {
        return tryField(json, field) == nullptr ? std::nullopt : flag(json, path, field);
    }

    std::optional<std::size_t> number(const Json& json, const std::string& path, const char* field) {
        const Json* value = tryField(json, field);
        if (value != nullptr && value->is_number_integer() && value->get<std::int64_t>() >= 0) {
            return value->get<std::size_t>();
        }
        if (value == nullptr || !value->is_null()) {
            complain(json, path, field);
        }
        return std::nullopt;
    }

    std::vector<std::size_t> numbers(const Json& json, const std::string& path, const char* field) {
        std::vector<std::size_t> out;
        const Json* items = tryField(json, field);
        // A set without elements reads as an object: "{}".
        if (items != nullptr && items->is_object() && items->empty()) {
            return out;
        }
        const bool areNumbers =
            items != nullptr && items->is_array() && std::ranges::all_of(*items, [](const Json& item) {
                return item.is_number_integer() && item.get<std::int64_t>() >= 0;
            });
        if (!areNumbers) {
            complain(json, path, field);
            return out;
        }
        for (const Json& item : *items) {
            out.push_back(item.get<std::size_t>());
        }
        return out;
    }

    InputAliasInfo input(const Json& json, const std::string& path) {
        InputAliasInfo input;
        for (const detail::InputField& field : detail::inputFields) {
            input.*field.member = flag(json, path, field.name).value_or(false);
        }
        input.mutationIsShallowCopyData = optionalFlag(json, path, detail::shallowCopy);
        keepOthers(json, path,
                   {"is_leaf", "mutates_data", "mutates_metadata", "mutations_hidden_from_autograd",
                    "mutations_under_no_grad_or_inference_mode", "mutation_inductor_storage_resize",
                    "mutates_storage_metadata", "requires_grad", "keep_input_mutations", "mutation_type",
                    detail::shallowCopy});
        return input;
    }

    OutputAliasInfo output(const Json& json, const std::string& path) {
        OutputAliasInfo output;
        const std::string name = inner(json, "output_type", "enum");
        constexpr std::string_view prefix = "OutputType.";
        const auto type = name.starts_with(prefix)
                              ? base::fromWord<OutputType>(std::string_view(name).substr(prefix.size()))
                              : std::nullopt;
        if (type) {
            output.outputType = *type;
        } else {
            complain(json, path, "output_type");
        }
        output.rawType = inner(json, "raw_type", "type");
        if (output.rawType.empty()) {
            complain(json, path, "raw_type");
        }
        output.baseIndex = number(json, path, "base_idx");
        if (const Json* dims = tryField(json, "dynamic_dims"); dims == nullptr || !dims->is_null()) {
            output.dynamicDims = numbers(json, path, "dynamic_dims");
            std::ranges::sort(*output.dynamicDims);
        }
        output.requiresGrad = flag(json, path, "requires_grad").value_or(false);
        output.requiresGradForBackward = optionalFlag(json, path, detail::gradForBackward);
        if (const Json* known = tryField(json, detail::views); known != nullptr && known->is_string()) {
            output.views = known->get<std::string>();
        }
        // Nearly always None; then it says nothing.
        const char* views = "view_meta_sequence";
        const bool hasViews = json.is_object() && json.contains(views) && !json[views].is_null();
        keepOthers(json, path,
                   {"output_type", "raw_type", "base_idx", "dynamic_dims", "requires_grad",
                    detail::gradForBackward, hasViews ? "" : views});
        return output;
    }

    static std::string inner(const Json& json, const char* field, const char* key) {
        return json.is_object() && json.contains(field) && json[field].is_object() &&
                       json[field].contains(key) && json[field][key].is_string()
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
                out.emplace_back(SymExpr(detail::pythonText(size)));
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

    void readTangents(const Json& json) {
        if (tryField(json, detail::tangentMetas) != nullptr) {
            meta.tangentMetas.emplace();
            each(json, detail::tangentMetas, [&](const Json& tangent, const std::string& path) {
                meta.tangentMetas->push_back(tangentMeta(tangent, path));
            });
        }
        const Json* traces = tryField(json, detail::tangentSources);
        if (traces == nullptr || traces->is_null()) {
            return;
        }
        meta.tangentSources.emplace();
        each(json, detail::tangentSources, [&](const Json& trace, const std::string& path) {
            const bool isText = trace.is_string();
            meta.tangentSources->push_back(isText ? innermostSource(trace.get_ref<const std::string&>())
                                                  : std::nullopt);
            if (!trace.is_null() && !meta.tangentSources->back()) {
                meta.unreadFields.insert(path);
                meta.otherFields.push_back({path, detail::pythonText(trace)});
            }
        });
    }

    TangentMeta tangentMeta(const Json& json, const std::string& path) {
        TangentMeta tangent;
        const bool isPlain = json.is_object() && json.value("_class", Json()) == "PlainTensorMeta";
        tangent.isSubclass = !isPlain;
        if (!isPlain) {
            const char* start = "flat_tensor_start_idx";
            const bool hasStart = tryField(json, start) != nullptr;
            tangent.unwrappedIndex = hasStart ? number(json, path + ".", start).value_or(0) : 0;
            if (!hasStart || json.size() > 2) {
                meta.otherFields.push_back({path, detail::pythonText(json)});
            }
            return tangent;
        }
        tangent.unwrappedIndex = number(json, path + ".", "unwrapped_idx").value_or(0);
        if (const Json* format = tryField(json, "memory_format"); format != nullptr && !format->is_null()) {
            tangent.layout = layout(*format, path + ".memory_format.");
        }
        // A plain tangent has no symbol placeholders.
        for (const char* symbols : {"size_symbol_placeholders", "stride_symbol_placeholders"}) {
            if (json.contains(symbols) && !(json[symbols].is_array() && json[symbols].empty())) {
                meta.otherFields.push_back({path + "." + symbols, detail::pythonText(json[symbols])});
            }
        }
        keepOthers(
            json, path + ".",
            {"unwrapped_idx", "memory_format", "size_symbol_placeholders", "stride_symbol_placeholders"});
        return tangent;
    }

    TangentLayout layout(const Json& json, const std::string& path) {
        TangentLayout layout;
        const auto read = [&](const char* field, std::optional<SymInts>& out) {
            const Json* value = tryField(json, field);
            if (value != nullptr && value->is_array()) {
                out = sizes(*value);
            } else if (value == nullptr || !value->is_null()) {
                complain(json, path, field);
            }
        };
        read("size", layout.size);
        read("stride", layout.stride);
        constexpr std::string_view start = "torch.";
        if (const Json* format = tryField(json, "memory_format"); format != nullptr && format->is_string()) {
            const std::string name = format->get<std::string>();
            layout.memoryFormat = name.starts_with(start) ? name.substr(start.size()) : name;
        } else if (format == nullptr || !format->is_null()) {
            complain(json, path, "memory_format");
        }
        keepOthers(json, path, {"size", "stride", "memory_format"});
        return layout;
    }

    /// "[(0, ()), (2, ('inner',))]"
    void readCollectives(const Json& json) {
        if (tryField(json, detail::collectiveInputs) == nullptr) {
            return;
        }
        meta.collectiveInputs.emplace();
        each(json, detail::collectiveInputs, [&](const Json& item, const std::string& path) {
            const bool isPath =
                item.is_array() && item.size() == 2 && item[0].is_number_unsigned() && item[1].is_array() &&
                std::ranges::all_of(item[1], [](const Json& name) { return name.is_string(); });
            if (!isPath) {
                meta.unreadFields.insert(detail::collectiveInputs);
                meta.otherFields.push_back({path, detail::pythonText(item)});
                return;
            }
            meta.collectiveInputs->push_back(
                {item[0].get<std::size_t>(), item[1].get<std::vector<std::string>>()});
        });
    }

    /// What metadataToJson wrote.
    void readOwnOthers(const Json& json) {
        if (json.is_object() && json.contains(ownOtherFields) && json[ownOtherFields].is_object()) {
            for (const auto& [path, text] : json[ownOtherFields].items()) {
                meta.otherFields.push_back(
                    {path, text.is_string() ? text.get<std::string>() : detail::pythonText(text)});
            }
        }
    }

    bool m_found = false;
};

} // namespace

base::Result<ViewAndMutationMeta> metadataFromJson(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return base::Error{.code = "ir.json_syntax", .message = "The metadata is not a JSON object."};
    }
    Reader reader;
    reader.read(json);
    if (!reader.foundAny()) {
        return base::Error{.code = "ir.metadata_form",
                           .message = "The metadata has no field that PyTorch's ViewAndMutationMeta has."};
    }
    return std::move(reader.meta);
}

base::Result<ViewAndMutationMeta> metadataFromRepr(std::string_view text) {
    auto read = readRepr(text);
    if (!read) {
        return std::move(read).error();
    }
    return metadataFromJson(read->json);
}

} // namespace aotscope::ir
