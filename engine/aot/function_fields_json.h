#pragma once

#include "aot/compiled_function.h"
#include "aot/fields_json.h"

#include <array>
#include <string_view>

/// The members of a compiled function's parts for fields_json.h, and the function itself.
namespace aotscope::aot::detail {

template<>
struct EnumWords<TracePath> {
    static constexpr std::array<std::string_view, 3> names = {"inference", "autograd", "export"};
};

inline Json toJson(DecompositionTable value, JsonContext&) {
    return decompositionTableName(value);
}
inline void fromJson(const Json& json, DecompositionTable& value, JsonContext& context) {
    const auto read = json.is_string() ? decompositionTableFromName(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a table of decompositions");
}
inline Json toJson(ir::DType value, JsonContext&) {
    return ir::dtypeName(value);
}
inline void fromJson(const Json& json, ir::DType& value, JsonContext& context) {
    const auto read = json.is_string() ? ir::dtypeFromName(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a dtype");
}

template<>
struct Fields<AmbientAutocast> {
    static void visit(auto& field, auto& autocast) {
        field("device", autocast.device);
        field("dtype", autocast.dtype);
    }
};
template<>
struct EnumWords<ReducedSums> {
    static constexpr std::array<std::string_view, 3> names = {"allowed", "not_allowed", "neither_nor_split"};
};
template<>
struct Fields<GlobalState> {
    static void visit(auto& field, auto& state) {
        field("default_dtype", state.defaultDtype);
        field("grad_enabled", state.gradEnabled);
        field("inference_mode", state.inferenceMode);
        field("autocasts", state.autocasts);
        field("autocast_cache", state.autocastCache);
        field("deterministic", state.deterministic);
        field("deterministic_warn_only", state.deterministicWarnOnly);
        field("fill_uninitialized_memory", state.fillUninitializedMemory);
        field("allow_tf32", state.allowTf32);
        field("fp16_sums", state.fp16Sums);
        field("bf16_sums", state.bf16Sums);
        field("matmul_precision", state.matmulPrecision);
        field("threads", state.threads);
        field("torch_function", state.torchFunction);
        field("torch_function_all_disabled", state.torchFunctionAllDisabled);
    }
};
template<>
struct Fields<ExportOptions> {
    static void visit(auto& field, auto& options) {
        field("simple", options.simple);
        field("joint", options.joint);
        field("loss", options.loss);
        field("pre_dispatch", options.preDispatch);
    }
};
inline Json toJson(TorchVersion value, JsonContext&) {
    return torchVersionText(value);
}
inline void fromJson(const Json& json, TorchVersion& value, JsonContext& context) {
    const auto read = json.is_string() ? torchVersionFromText(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a release of torch");
}
inline Json toJson(const FunctorchConfig& config, JsonContext&) {
    Json options = Json::object();
    for (const ConfigOption& option : configOptions()) {
        options[std::string(option.name)] = optionText(config, option);
    }
    return {{"options", std::move(options)},
            {"unknown", config.unknown},
            {"chosen", config.chosen},
            {"of_backend", config.ofBackend},
            {"assumed", config.assumed}};
}
void fromJson(const Json& json, FunctorchConfig& config, JsonContext& context);
template<>
struct Fields<CompileConfiguration> {
    static void visit(auto& field, auto& configuration) {
        field("torch", configuration.torch);
        field("keep_inference_input_mutations", configuration.keepInferenceInputMutations);
        field("decompositions", configuration.decompositions);
        field("state", configuration.state);
        field("export", configuration.exported);
        field("functorch", configuration.functorch);
        field("fakify_first_call", configuration.fakifyFirstCall);
    }
};
template<>
struct Fields<ir::SourceLocation> {
    static void visit(auto& field, auto& place) {
        field("file", place.file);
        field("line", place.line);
        field("function", place.function);
        field("code", place.code);
    }
};
template<>
struct Fields<RetraceGuard> {
    static void visit(auto& field, auto& guard) {
        field("expression", guard.expression);
        field("node", guard.node);
        field("source", guard.source);
        field("given", guard.given);
    }
};

/// All of it: members, graphs, metadata, partition and signature.
[[nodiscard]] Json toJson(const CompiledFunction& function, JsonContext& context);
void fromJson(const Json& json, CompiledFunction& function, JsonContext& context);

} // namespace aotscope::aot::detail
