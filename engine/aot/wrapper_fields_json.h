#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"
#include "aot/metadata_fields_json.h"
#include "aot/wrapper_step.h"

#include <variant>

/// The members of the wrappers for fields_json.h.
namespace aotscope::aot::detail {

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
