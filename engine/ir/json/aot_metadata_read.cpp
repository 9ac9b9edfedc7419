#include "base/mapped.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/json/python_text.h"
#include "ir/python_repr.h"
#include "ir/source_stack.h"
#include "ir/text/descriptor_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
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
        members(json, "", meta, {});
        readOwnOthers(json);
    }

    /// Whether any of PyTorch's fields was there: text of something else has none.
    [[nodiscard]] bool foundAny() const { return m_found; }

private:
    /// The field is missing, or has another form and is kept as text.
    void complain(const Json& json, const std::string& path, const char* field) {
        meta.unreadFields.insert(path + field);
        if (const Json* value = tryField(json, field)) {
            meta.otherFields.push_back({path + field, detail::pythonText(*value)});
        }
    }

    /// All fields but the `known` ones, and those that this program derives.
    void keepOthers(const Json& json, const std::string& path, const std::vector<const char*>& known) {
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

    /// The field if it has the form. Null also for None, which PyTorch writes for a field that it has not set
    /// yet; anything else is complained of.
    template<typename Form>
    const Json* fieldOf(const Json& json, const std::string& path, const char* field, const Form& hasForm) {
        const Json* value = tryField(json, field);
        if (value != nullptr && std::invoke(hasForm, *value)) {
            return value;
        }
        if (value == nullptr || !value->is_null()) {
            complain(json, path, field);
        }
        return nullptr;
    }

    std::optional<bool> flag(const Json& json, const std::string& path, const char* field) {
        const Json* value = fieldOf(json, path, field, &Json::is_boolean);
        m_found = m_found || value != nullptr;
        return value != nullptr ? std::optional(value->get<bool>()) : std::nullopt;
    }

    static bool isIndex(const Json& value) {
        return value.is_number_integer() && value.get<std::int64_t>() >= 0;
    }

    std::optional<std::size_t> number(const Json& json, const std::string& path, const char* field) {
        const Json* value = fieldOf(json, path, field, isIndex);
        return value != nullptr ? std::optional(value->get<std::size_t>()) : std::nullopt;
    }

    std::vector<std::size_t> numbers(const Json& json, const std::string& path, const char* field) {
        const Json* items = tryField(json, field);
        // A set without elements reads as an object: "{}".
        if (items != nullptr && items->is_object() && items->empty()) {
            return {};
        }
        if (items == nullptr || !items->is_array() || !std::ranges::all_of(*items, isIndex)) {
            complain(json, path, field);
            return {};
        }
        return base::mapped(*items, [](const Json& item) { return item.get<std::size_t>(); });
    }

    /// The listed members, and what else is there, but for `known`.
    template<base::HasMembers T>
    void members(const Json& json, const std::string& path, T& into, std::vector<const char*> known) {
        base::visitMembers(into, [&](const char* name, auto& member) {
            read(json, path, name, member);
            known.push_back(name);
        });
        keepOthers(json, path, known);
    }

    void read(const Json& json, const std::string& path, const char* name, bool& member) {
        member = flag(json, path, name).value_or(false);
    }
    void read(const Json& json, const std::string& path, const char* name, std::optional<bool>& member) {
        member = tryField(json, name) == nullptr ? std::nullopt : flag(json, path, name);
    }
    void read(const Json& json, const std::string& path, const char* name, std::size_t& member) {
        member = number(json, path, name).value_or(0);
    }
    void read(const Json& json, const std::string& path, const char* name,
              std::optional<std::size_t>& member) {
        member = number(json, path, name);
    }
    void read(const Json& json, const std::string& path, const char* name, std::vector<std::size_t>& member) {
        member = numbers(json, path, name);
    }
    void read(const Json& json, const std::string& path, const char* name,
              std::optional<std::vector<std::size_t>>& member) {
        if (const Json* dims = tryField(json, name); dims == nullptr || !dims->is_null()) {
            member = numbers(json, path, name);
            std::ranges::sort(*member);
        }
    }
    void read(const Json& json, const std::string& path, const char* name, OutputType& member) {
        const std::string word = inner(json, name, "enum");
        constexpr std::string_view prefix = "OutputType.";
        const auto type = word.starts_with(prefix)
                              ? base::fromWord<OutputType>(std::string_view(word).substr(prefix.size()))
                              : std::nullopt;
        type ? void(member = *type) : complain(json, path, name);
    }
    /// raw_type
    void read(const Json& json, const std::string& path, const char* name, std::string& member) {
        member = inner(json, name, "type");
        if (member.empty()) {
            complain(json, path, name);
        }
    }
    /// The views, which this program derives.
    void read(const Json& json, const std::string& /*path*/, const char* name,
              std::optional<std::string>& member) {
        const Json* known = tryField(json, ("derived." + std::string(name)).c_str());
        if (known != nullptr && known->is_string()) {
            member = known->get<std::string>();
        }
    }
    template<typename T>
    void read(const Json& json, const std::string& /*path*/, const char* name, std::vector<T>& member) {
        each(json, name,
             [&](const Json& item, const std::string& path) { readItem(item, path, member.emplace_back()); });
    }
    void read(const Json& json, const std::string& /*path*/, const char* name,
              std::vector<AOTInput>& member) {
        each(json, name, [&](const Json& item, const std::string& /*path*/) {
            member.push_back(parseInputDescriptor(textOf(item)));
        });
    }
    template<typename T>
    void read(const Json& json, const std::string& path, const char* name,
              std::optional<std::vector<T>>& member) {
        // Not all releases have it; the sources may also be None.
        const Json* list = tryField(json, name);
        if (list != nullptr && !(list->is_null() && std::same_as<T, std::optional<SourceLocation>>)) {
            read(json, path, name, member.emplace());
        }
    }
    void read(const Json&, const std::string&, const char*, std::vector<OtherField>&) {}
    void read(const Json&, const std::string&, const char*, std::set<std::string, std::less<>>&) {}

    void readItem(const Json& json, const std::string& path, InputAliasInfo& input) {
        members(json, path + ".", input, {"mutation_type"});
    }
    void readItem(const Json& json, const std::string& path, OutputAliasInfo& output) {
        // Nearly always None; then it says nothing.
        const char* views = "view_meta_sequence";
        const Json* sequence = tryField(json, views);
        members(json, path + ".", output, {sequence == nullptr || sequence->is_null() ? views : ""});
    }
    void readItem(const Json& json, const std::string& /*path*/, TensorMeta& tangent) {
        tangent = tensor(json);
    }
    void readItem(const Json& json, const std::string& path, TangentMeta& tangent) {
        tangent = tangentMeta(json, path);
    }
    void readItem(const Json& json, const std::string& path, std::optional<SourceLocation>& source) {
        source = json.is_string() ? innermostSource(json.get_ref<const std::string&>()) : std::nullopt;
        if (!json.is_null() && !source) {
            meta.unreadFields.insert(path);
            meta.otherFields.push_back({path, detail::pythonText(json)});
        }
    }
    /// "[(0, ()), (2, ('inner',))]"
    void readItem(const Json& json, const std::string& path, CollectiveInput& input) {
        const bool isPath = json.is_array() && json.size() == 2 && json[0].is_number_unsigned() &&
                            json[1].is_array() &&
                            std::ranges::all_of(json[1], [](const Json& name) { return name.is_string(); });
        if (isPath) {
            input = {json[0].get<std::size_t>(), json[1].get<std::vector<std::string>>()};
            return;
        }
        meta.actInputPaths->pop_back();
        meta.unreadFields.insert(path.substr(0, path.find('[')));
        meta.otherFields.push_back({path, detail::pythonText(json)});
    }

    static std::string textOf(const Json& json) {
        return json.is_string() ? json.get<std::string>() : detail::pythonText(json);
    }
    /// Empty if it is missing or no text.
    static std::string text(const Json& json, const char* field) {
        const Json* value = tryField(json, field);
        return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
    }
    static std::string inner(const Json& json, const char* field, const char* key) {
        const Json* value = tryField(json, field);
        return value != nullptr ? text(*value, key) : std::string();
    }

    static SymInt size(const Json& json) {
        if (json.is_number_integer()) {
            return json.get<std::int64_t>();
        }
        const Json* symbol = tryField(json, "symint");
        return SymExpr(symbol != nullptr && symbol->is_string() ? symbol->get<std::string>()
                                                                : detail::pythonText(json));
    }
    static SymInts sizes(const Json& json) { return base::mapped(json, size); }
    static std::optional<SymInts> sizesIn(const Json& json, const char* field) {
        const Json* value = tryField(json, field);
        return value != nullptr && value->is_array() ? std::optional(sizes(*value)) : std::nullopt;
    }

    static TensorMeta tensor(const Json& json) {
        TensorMeta tensor;
        if (tryField(json, "repr") != nullptr || tryField(json, "inner") != nullptr) {
            // A subclass prints as it likes: only that it is one is known.
            tensor.subclass = std::make_shared<SubclassMeta>();
        }
        tensor.shape = sizesIn(json, "shape").value_or(SymInts());
        tensor.stride = sizesIn(json, "stride");
        if (const Json* offset = tryField(json, "storage_offset")) {
            tensor.storageOffset = size(*offset);
        }
        tensor.dtype = dtypeFromName(text(json, "dtype")).value_or(DType::Unknown);
        tensor.device = Device::parse(text(json, "device"));
        return tensor;
    }

    TangentMeta tangentMeta(const Json& json, const std::string& path) {
        TangentMeta tangent;
        const bool isPlain = json.is_object() && json.value("_class", Json()) == "PlainTensorMeta";
        tangent.isSubclass = !isPlain;
        if (!isPlain) {
            const char* start = "flat_tensor_start_idx";
            const bool hasStart = tryField(json, start) != nullptr;
            tangent.unwrappedIdx = hasStart ? number(json, path + ".", start).value_or(0) : 0;
            if (!hasStart || json.size() > 2) {
                meta.otherFields.push_back({path, detail::pythonText(json)});
            }
            return tangent;
        }
        tangent.unwrappedIdx = number(json, path + ".", "unwrapped_idx").value_or(0);
        if (const Json* format = tryField(json, "memory_format"); format != nullptr && !format->is_null()) {
            tangent.layout = layout(*format, path + ".memory_format.");
        }
        // A plain tangent has no symbol placeholders.
        for (const char* symbols : {"size_symbol_placeholders", "stride_symbol_placeholders"}) {
            const Json* list = tryField(json, symbols);
            if (list != nullptr && !(list->is_array() && list->empty())) {
                meta.otherFields.push_back({path + "." + symbols, detail::pythonText(*list)});
            }
        }
        keepOthers(
            json, path + ".",
            {"unwrapped_idx", "memory_format", "size_symbol_placeholders", "stride_symbol_placeholders"});
        return tangent;
    }

    TangentLayout layout(const Json& json, const std::string& path) {
        TangentLayout layout;
        for (const auto& [field, member] :
             {std::pair("size", &layout.size), std::pair("stride", &layout.stride)}) {
            if (const Json* value = fieldOf(json, path, field, &Json::is_array)) {
                *member = sizes(*value);
            }
        }
        if (const Json* format = fieldOf(json, path, "memory_format", &Json::is_string)) {
            constexpr std::string_view start = "torch.";
            const std::string name = format->get<std::string>();
            layout.memoryFormat = name.starts_with(start) ? name.substr(start.size()) : name;
        }
        keepOthers(json, path, {"size", "stride", "memory_format"});
        return layout;
    }

    /// What metadataToJson wrote.
    void readOwnOthers(const Json& json) {
        if (const Json* own = tryField(json, ownOtherFields); own != nullptr && own->is_object()) {
            for (const auto& [path, text] : own->items()) {
                meta.otherFields.push_back({path, textOf(text)});
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
    AOTSCOPE_TRY(read, readRepr(text));
    return metadataFromJson(read.json);
}

} // namespace aotscope::ir
