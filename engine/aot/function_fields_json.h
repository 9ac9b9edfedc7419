#pragma once

#include "aot/compiled_function.h"
#include "aot/fields_json.h"
#include "aot/listed_members.h"
#include "aot/retrace.h"
#include "aot/wrapper_step.h"

#include "ir/aot_metadata.h"
#include "ir/json/graph_json.h"
#include "ir/text/descriptor_text.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The members of a compiled function's parts for fields_json.h (its metadata: all of it, unlike
/// ir/json/aot_metadata_json.h, whose form is PyTorch's), and the function itself; of a request to trace,
/// what no key has.
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

inline Json toJson(ir::DType value, JsonContext&) {
    return ir::dtypeName(value);
}
inline void fromJson(const Json& json, ir::DType& value, JsonContext& context) {
    const auto read = json.is_string() ? ir::dtypeFromName(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a dtype");
}

/// The threads decide how fast the trace is, not what; Dynamo's graph no longer has what
/// `__torch_function__` does.
template<>
inline constexpr auto notInKey<GlobalState> =
    std::to_array<std::string_view>({"threads", "torch_function", "torch_function_all_disabled"});
/// The guards of an entry are checked against them (cache/guard_check.h).
template<>
inline constexpr auto notInKey<RetraceRequest> = std::to_array<std::string_view>({"symbol_hints"});

inline Json toJson(TorchVersion value, JsonContext&) {
    return torchVersionText(value);
}
inline void fromJson(const Json& json, TorchVersion& value, JsonContext& context) {
    const auto read = json.is_string() ? torchVersionFromText(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a release of torch");
}
template<>
inline constexpr bool listsAllMembers<TorchVersion> = base::memberCount<TorchVersion> == 2;

[[nodiscard]] Json toJson(const FunctorchConfig& config, JsonContext& context);
void fromJson(const Json& json, FunctorchConfig& config, JsonContext& context);
/// That each of its members is an option, or is known to these functions, is checked where they are.
template<>
inline constexpr bool listsAllMembers<FunctorchConfig> = true;
template<>
struct Fields<RetraceGuard> {
    static constexpr void visit(auto& field, auto& guard) {
        field("expression", guard.expression);
        field("node", guard.node);
        field("source", guard.source);
        field("given", guard.byUser);
    }
};

using Constants = std::map<std::string, TensorData, std::less<>>;
[[nodiscard]] Json toJson(const Constants& constants, JsonContext& context);
void fromJson(const Json& json, Constants& constants, JsonContext& context);
template<>
inline constexpr bool listsAllMembers<TensorData> = base::memberCount<TensorData> == 3;

[[nodiscard]] Json toJson(const GraphSignature& signature, JsonContext& context);
void fromJson(const Json& json, GraphSignature& signature, JsonContext& context);
template<>
inline constexpr bool listsAllMembers<GraphSignature> =
    base::memberCount<GraphSignature> == 2 && base::memberCount<InputSpec> == 4 &&
    base::memberCount<OutputSpec> == 3;

template<>
struct Fields<CompiledFunction> {
    static constexpr void visit(auto& field, auto& function) {
        field("path", function.path);
        field("reason", function.reason);
        field("configuration", function.configuration);
        // The stages after the trace read its saved-tensors hooks alone, which CompileEnvironment::hooks has.
        field("program", function.program, NotInKey());
        field("metadata", function.metadata);
        field("graph", function.graph);
        field("joint", function.joint);
        field("guards", function.guards);
        field("constants", function.constants);
        // What has a key is not partitioned yet.
        field.elsewhere(function.partition, NotInKey());
        field("wrappers", function.wrappers);
        field("signature", function.signature);
    }
};

/// All of it, with the partition.
[[nodiscard]] Json toJson(const CompiledFunction& function, JsonContext& context);
void fromJson(const Json& json, CompiledFunction& function, JsonContext& context);

} // namespace aotscope::aot::detail
