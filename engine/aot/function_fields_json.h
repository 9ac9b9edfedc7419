#pragma once

#include "aot/compiled_function.h"
#include "aot/fields_json.h"
#include "aot/listed_members.h"
#include "aot/retrace.h"
#include "aot/wrapper_fields_json.h"

#include <array>
#include <map>
#include <string>
#include <string_view>

/// The members of a compiled function's parts for fields_json.h, and the function itself; of a request to
/// trace, what no key has.
namespace aotscope::aot::detail {

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
