#include "ir/json/aot_metadata_json.h"

#include "ir/python_literal.h"
#include "ir/python_repr.h"
#include "ir/text/descriptor_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace aotscope::ir {
namespace {

using Json = nlohmann::ordered_json;

Json valueJson(const SymInt& size) {
    return size.isSymbolic() ? Json{{"symint", size.text()}} : Json(size.integer());
}

Json valueJson(const SymInts& sizes) {
    Json list = Json::array();
    for (const SymInt& size : sizes) {
        list.push_back(valueJson(size));
    }
    return list;
}

Json valueJson(const TensorMeta& tensor) {
    Json json{{"kind", "tensor"}, {"dtype", dtypeName(tensor.dtype)}, {"shape", valueJson(tensor.shape)}};
    if (tensor.stride) {
        json["stride"] = valueJson(*tensor.stride);
    }
    if (tensor.storageOffset) {
        json["storage_offset"] = valueJson(*tensor.storageOffset);
    }
    if (tensor.device) {
        json["device"] = tensor.device->text();
    }
    json["requires_grad"] = tensor.requiresGrad.value_or(false);
    return json;
}

/// A descriptor's repr as the golden files have it; kept as text where it cannot be read.
Json valueJson(const AOTInput& descriptor) {
    const std::string text = descriptorText(descriptor);
    auto json = jsonFromRepr(text);
    return json ? Json::parse(*json) : Json(text);
}

Json valueJson(const TangentMeta& tangent) {
    if (tangent.isSubclass) {
        return {{"_class", "SubclassCreationMeta"}, {"flat_tensor_start_idx", tangent.unwrappedIdx}};
    }
    Json json{{"_class", "PlainTensorMeta"}, {"unwrapped_idx", tangent.unwrappedIdx}};
    if (!tangent.layout) {
        json["memory_format"] = nullptr;
        return json;
    }
    const TangentLayout& layout = *tangent.layout;
    json["memory_format"] = {{"_class", "MemoryFormatMeta"},
                             {"size", layout.size ? valueJson(*layout.size) : Json(nullptr)},
                             {"stride", layout.stride ? valueJson(*layout.stride) : Json(nullptr)},
                             {"memory_format", layout.memoryFormat.empty()
                                                   ? Json(nullptr)
                                                   : Json("torch." + layout.memoryFormat)}};
    return json;
}

/// As the innermost frame of a traceback.
Json valueJson(const std::optional<SourceLocation>& source) {
    return source ? Json("  File \"" + source->file + "\", line " + std::to_string(source->line) + ", in " +
                         source->function + "\n    " + source->code + "\n")
                  : Json(nullptr);
}

Json valueJson(OutputType type) {
    return {{"enum", "OutputType." + std::string(base::wordOf(type))}};
}

Json valueJson(const CollectiveInput& input) {
    return Json::array({input.input, input.attributes});
}

/// What JSON has itself, or a list of values.
template<typename T>
Json valueJson(const T& value) {
    return value;
}
template<typename T>
Json valueJson(const std::optional<T>& value) {
    return value ? valueJson(*value) : Json(nullptr);
}

/// The listed members with the keys of the golden files.
class MembersWriter {
public:
    template<base::HasMembers T>
    static Json write(const T& value, const char* className) {
        MembersWriter writer;
        writer.m_json["_class"] = className;
        base::visitMembers(value, writer);
        writer.m_json.update(writer.m_last);
        return std::move(writer.m_json);
    }

    void operator()(const char* name, const auto& value) { m_json[name] = valueJson(value); }
    void operator()(const char* name, std::optional<bool> flag) {
        if (isOfThisRelease(name, flag)) {
            m_json[name] = valueJson<bool>(flag);
        }
    }
    /// raw_type
    void operator()(const char* name, const std::string& type) {
        if (!type.empty()) {
            m_json[name] = {{"type", type}};
        }
    }
    /// The views: PyTorch's own record of them is an object that is not read.
    void operator()(const char* name, const std::optional<std::string>& derived) {
        if (derived) {
            m_json["derived." + std::string(name)] = *derived;
        }
    }
    template<typename T>
    void operator()(const char* name, const std::vector<T>& list) {
        m_json[name] = items(list);
    }
    /// Lists of some releases only come last.
    template<typename T>
    void operator()(const char* name, const std::optional<std::vector<T>>& list) {
        if (list) {
            m_last[name] = items(*list);
        }
    }
    void operator()(const char* name, const std::optional<std::vector<std::size_t>>& numbers) {
        m_json[name] = numbers ? Json(*numbers) : Json(nullptr);
    }
    void operator()(const char* name, const std::vector<OtherField>& fields) {
        for (const OtherField& field : fields) {
            m_last[name].emplace(field.path, field.text);
        }
    }
    void operator()(const char* /*name*/, const std::set<std::string, std::less<>>& /*unread*/) {}

private:
    template<typename T>
    static Json items(const std::vector<T>& list) {
        Json json = Json::array();
        for (const T& item : list) {
            json.push_back(itemJson(item));
        }
        return json;
    }
    static Json itemJson(const auto& item) { return valueJson(item); }
    static Json itemJson(const OutputAliasInfo& output) { return write(output, "OutputAliasInfo"); }
    static Json itemJson(const InputAliasInfo& input) {
        Json json = write(input, "InputAliasInfo");
        json["mutation_type"] = base::wordOf(input.mutationType());
        return json;
    }

    Json m_json;
    Json m_last = Json::object();
};

} // namespace

std::string metadataToJson(const ViewAndMutationMeta& metadata) {
    Json json = MembersWriter::write(metadata, "ViewAndMutationMeta");
    json["derived.mutated_inp_runtime_indices"] = metadata.mutatedInputRuntimeIndices();
    json["derived.mutated_graph_handled_indices"] = metadata.mutatedGraphHandledIndices();
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace aotscope::ir
