#pragma once

#include "remote/values.h"

#include "aot/fields_json.h"
#include "aot/function_fields_json.h"
#include "ir/json/value_json.h"
#include "session/run_fields_json.h"

#include <array>
#include <set>
#include <string_view>

/// The members of requests for aot/fields_json.h.
namespace aotscope::aot::detail {

inline Json toJson(const std::set<std::string>& values, JsonContext& context) {
    return toJson(std::vector(values.begin(), values.end()), context);
}
inline void fromJson(const Json& json, std::set<std::string>& values, JsonContext& context) {
    std::vector<std::string> list;
    fromJson(json, list, context);
    values = {list.begin(), list.end()};
}

inline Json toJson(const ir::TensorMeta& meta, JsonContext&) {
    return ir::valueToJson(meta);
}
inline void fromJson(const Json& json, ir::TensorMeta& meta, JsonContext& context) {
    auto value = ir::valueFromJson(json.is_string() ? json.get_ref<const std::string&>() : std::string());
    const ir::TensorMeta* tensor = value ? ir::asTensor(*value) : nullptr;
    tensor != nullptr ? void(meta = *tensor) : context.complain("expected a tensor's metadata");
}

template<>
struct Fields<RetraceInput> {
    static void visit(auto& field, auto& input) {
        field("requires_grad", input.requiresGrad);
        field("is_leaf", input.isLeaf);
        field("is_parameter", input.isParameter);
        field("storage", input.storage);
        field("storage_offset", input.storageOffset);
        field("storage_bytes", input.storageBytes);
        field("view_base", input.viewBase);
        field("is_static", input.isStatic);
        field("duplicate_of", input.duplicateOf);
    }
};
template<>
struct Fields<RetraceAttribute> {
    static void visit(auto& field, auto& attribute) {
        field("name", attribute.name);
        field("input", attribute.input);
        field("is_buffer", attribute.isBuffer);
    }
};
template<>
struct Fields<AssignedAttribute> {
    static void visit(auto& field, auto& attribute) { field("name", attribute.name); }
};
template<>
struct Fields<RetraceRequest> {
    static void visit(auto& field, auto& request) {
        field("torch", request.torch);
        field("program", request.program);
        field("inputs", request.inputs);
        field("attributes", request.attributes);
        field("symbol_hints", request.symbolHints);
        field("symbol_guards", request.symbolGuards);
        field("number_symbols", request.numberSymbols);
        field("float_hints", request.floatHints);
        field("unbacked_numbers", request.unbackedNumbers);
        field("unbacked_floats", request.unbackedFloats);
        field("earlier_checkpoints", request.earlierCheckpoints);
        field("state", request.state);
        field("keep_input_mutations", request.keepInputMutations);
        field("lazy_arithmetic", request.lazyArithmetic);
        field("returns_tree", request.returnsTree);
        field("decompositions", request.decompositions);
        field("functorch", request.functorch);
        field("export", request.exported);
        field("assigned_attributes", request.assignedAttributes);
        field("stages", request.stages);
        field("numbers", request.numbers);
    }
};

template<>
struct Fields<remote::RunCall> {
    static void visit(auto& field, auto& call) {
        field("graph", call.graph);
        field("options", call.options);
    }
};

template<>
struct Fields<remote::KernelsCall> {
    static void visit(auto& field, auto& call) {
        field("graph", call.graph);
        field("options", call.options);
    }
};

template<>
struct Fields<remote::ReferenceCall> {
    static void visit(auto& field, auto& call) {
        field("graph", call.graph);
        field("against", call.against);
        field("options", call.options);
    }
};

template<>
struct Fields<passes::InlinedHook> {
    static void visit(auto& field, auto& hook) {
        field("saved", hook.saved);
        field("pack", hook.pack);
        field("unpack", hook.unpack);
    }
};
template<>
struct Fields<session::HookErrorsRequest> {
    static void visit(auto& field, auto& request) {
        field("forward", request.forward);
        field("backward", request.backward);
        field("forward_outputs", request.forwardOutputs);
        field("hooks", request.hooks);
        field("options", request.options);
        field("each_alone", request.eachAlone);
    }
};
template<>
struct Fields<remote::HooksCall> {
    static void visit(auto& field, auto& call) {
        field("request", call.request);
        field("in_parts", call.inParts);
    }
};

template<>
struct EnumWords<session::Breakpoint::Kind> {
    static constexpr std::array<std::string_view, 6> names = {"line",         "operator", "node",
                                                              "program_node", "guard",    "stage"};
};
template<>
struct Fields<session::Breakpoint> {
    static void visit(auto& field, auto& breakpoint) {
        field("kind", breakpoint.kind);
        field("text", breakpoint.text);
        field("line", breakpoint.line);
    }
};
template<>
struct Fields<remote::RetraceCall> {
    static void visit(auto& field, auto& call) {
        field("request", call.request);
        field("breakpoints", call.breakpoints);
        field("pauses_at_start", call.pausesAtStart);
        field("pauses", call.pauses);
    }
};
template<>
struct EnumWords<session::PauseAnswer::Kind> {
    static constexpr std::array<std::string_view, 6> names = {
        "next_operator", "next_program_node", "next_line", "resume", "abort", "add_fact"};
};
template<>
struct Fields<session::PauseAnswer> {
    static void visit(auto& field, auto& answer) {
        field("kind", answer.kind);
        field("fact", answer.fact);
        field("breakpoints", answer.breakpoints);
    }
};

} // namespace aotscope::aot::detail
