#pragma once

#include "remote/values.h"

#include "aot/fields_json.h"
#include "aot/request_fields_json.h"
#include "session/run_fields_json.h"

#include <array>
#include <string_view>

/// The members of requests for aot/fields_json.h.
namespace aotscope::aot::detail {

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
