#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"
#include "aot/wrapper_step.h"

#include "ir/aot_metadata.h"
#include "ir/json/graph_json.h"
#include "ir/text/descriptor_text.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The members of a function's metadata and of the wrappers for fields_json.h. Unlike
/// ir/json/aot_metadata_json.h, whose form is PyTorch's, this keeps all of the metadata's.
namespace aotscope::aot::detail {

inline Json toJson(const ir::TensorMeta& meta, JsonContext&) {
    return ir::valueToJson(meta);
}
inline void fromJson(const Json& json, ir::TensorMeta& meta, JsonContext& context) {
    auto value = ir::valueFromJson(json.is_string() ? json.get_ref<const std::string&>() : std::string());
    const ir::TensorMeta* tensor = value ? ir::asTensor(*value) : nullptr;
    tensor != nullptr ? void(meta = *tensor) : context.complain("expected a tensor's metadata");
}
template<>
inline constexpr bool listsAllMembers<ir::TensorMeta> =
    base::memberCount<ir::TensorMeta> == 9 && base::memberCount<ir::SubclassMeta> == 2;

inline Json toJson(const std::vector<ir::AOTInput>& descriptors, JsonContext&) {
    Json list = Json::array();
    for (const ir::AOTInput& descriptor : descriptors) {
        list.push_back(ir::descriptorText(descriptor));
    }
    return list;
}
inline void fromJson(const Json& json, std::vector<ir::AOTInput>& descriptors, JsonContext& context) {
    std::vector<std::string> texts;
    fromJson(json, texts, context);
    descriptors.clear();
    for (const std::string& text : texts) {
        descriptors.push_back(ir::parseInputDescriptor(text));
    }
}

inline Json toJson(const std::variant<std::size_t, ViewOfBase>& argument, JsonContext& context) {
    return std::visit([&](const auto& value) { return toJson(value, context); }, argument);
}
inline void fromJson(const Json& json, std::variant<std::size_t, ViewOfBase>& argument,
                     JsonContext& context) {
    if (json.is_object()) {
        fromJson(json, argument.emplace<ViewOfBase>(), context);
    } else {
        fromJson(json, argument.emplace<std::size_t>(), context);
    }
}

template<>
struct Fields<FakifiedOutWrapper> {
    static constexpr void visit(auto&, auto&) {}
};

template<>
struct Fields<AOTDispatchAutograd> {
    static constexpr void visit(auto& field, auto& wrapper) {
        field("disable_amp", wrapper.disableAmp);
        field("num_forward_returns", wrapper.numForwardReturns);
        field("saved_for_backward", wrapper.saved);
        field("tensor_aliases", wrapper.tensorAliases);
        field("unsafe_views", wrapper.unsafeViews);
        field("non_differentiable", wrapper.nonDifferentiable);
        field("get_tangent", wrapper.tangents);
    }
};

template<std::size_t Index = 0>
void emplaceWrapper(const std::string& name, Wrapper& wrapper, JsonContext& context) {
    if constexpr (Index == std::variant_size_v<Wrapper>) {
        context.complain("\"" + name + "\" is not a wrapper");
    } else {
        wrapper.emplace<Index>();
        if (wrapperName(wrapper) != name) {
            emplaceWrapper<Index + 1>(name, wrapper, context);
        }
    }
}

inline Json toJson(const WrapperStep& step, JsonContext& context) {
    Json json{{"wrapper", wrapperName(step.wrapper)}, {"applies", step.applies}, {"reason", step.reason}};
    json["state"] = std::visit([&](const auto& wrapper) { return toJson(wrapper, context); }, step.wrapper);
    return json;
}

inline void fromJson(const Json& json, WrapperStep& step, JsonContext& context) {
    FieldReader field(json, context);
    std::string name;
    field("wrapper", name);
    field("applies", step.applies);
    field("reason", step.reason);
    emplaceWrapper(name, step.wrapper, context);
    std::visit([&](auto& wrapper) { field("state", wrapper); }, step.wrapper);
}
template<>
inline constexpr bool listsAllMembers<WrapperStep> =
    base::memberCount<WrapperStep> == 3 && listsAllMembers<Wrapper>;

} // namespace aotscope::aot::detail
