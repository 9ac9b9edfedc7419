#pragma once

#include "remote/answer_fields_json.h"

/// The members of calls of compiled functions, and of stepping through them, for aot/fields_json.h.
namespace aotscope::aot::detail {

template<>
struct Fields<session::CallOptions> {
    static void visit(auto& field, auto& options) {
        field("seed", options.seed);
        field("device", options.device);
        field("symbols", options.symbols);
        field("inputs", options.inputs);
        field("calls", options.calls);
        field("backward_twice", options.backwardTwice);
        field("learning_rate", options.learningRate);
        field("run_time_hooks", options.runTimeHooks);
        field("compare_with_eager", options.compareWithEager);
    }
};
template<>
struct Fields<session::CallRequest> {
    static void visit(auto& field, auto& call) {
        field("request", call.request);
        field("function", call.function);
        field("options", call.options);
    }
};
template<>
struct EnumWords<steps::StepBreakpoint::Kind> {
    static constexpr std::array<std::string_view, 10> names = {
        "wrapper", "node", "operator", "line", "nan", "infinity", "above", "shape", "mutated", "memory"};
};
template<>
struct Fields<steps::StepBreakpoint> {
    static void visit(auto& field, auto& breakpoint) {
        field("kind", breakpoint.kind);
        field("text", breakpoint.text);
        field("number", breakpoint.number);
    }
};
template<>
struct Fields<remote::FunctionCall> {
    static void visit(auto& field, auto& call) {
        field("request", call.request);
        field("breakpoints", call.breakpoints);
        field("pauses_at_start", call.pausesAtStart);
        field("pauses_at_end", call.pausesAtEnd);
        field("checkpoint_limit", call.checkpointLimit);
        field("contents", call.contents);
        field("by_fused_kernel", call.byFusedKernel);
        field("pauses", call.pauses);
    }
};
template<>
struct EnumWords<steps::StepAnswer::Kind> {
    static constexpr std::array<std::string_view, 10> names = {
        "into",     "over",   "out",    "back_into",   "back_over",
        "back_out", "run_to", "resume", "resume_back", "abort"};
};
template<>
struct Fields<steps::StepAnswer> {
    static void visit(auto& field, auto& answer) {
        field("kind", answer.kind);
        field("event", answer.event);
        field("breakpoints", answer.breakpoints);
        field("by_fused_kernel", answer.byFusedKernel);
    }
};

template<>
struct Fields<steps::DataChange> {
    static void visit(auto& field, auto& change) {
        field("changed", change.changed);
        field("elements", change.elements);
        field("largest", change.largest);
    }
};
template<>
struct Fields<steps::ValueState> {
    static void visit(auto& field, auto& state) {
        field("name", state.name);
        field("tensor", state.tensor);
        field("storage", state.storage);
        field("storage_bytes", state.storageBytes);
        field("meta", state.meta);
        field("is_leaf", state.isLeaf);
        field("grad_fn", state.gradFn);
        field("version", state.version);
        field("base", state.base);
        field("contents", state.contents);
        field("number", state.number);
        field("change", state.change);
    }
};
template<>
struct EnumWords<steps::EventKind> {
    static constexpr std::array<std::string_view, 8> names = {
        "wrapper_entry", "wrapper_exit",          "forward_node", "saving",
        "backward_node", "gradient_accumulation", "packing",      "unpacking"};
};
template<>
struct Fields<steps::CallEvent> {
    static void visit(auto& field, auto& event) {
        field("kind", event.kind);
        field("call", event.call);
        field("depth", event.depth);
        field("wrapper", event.wrapper);
        field("backward", event.backward);
        field("title", event.title);
        field("target", event.target);
        field("nanoseconds", event.nanoseconds);
    }
};
template<>
struct Fields<steps::WrapperCall> {
    static void visit(auto& field, auto& call) {
        field("step", call.step);
        field("name", call.name);
        field("call", call.call);
        field("backward", call.backward);
        field("entry", call.entry);
        field("exit", call.exit);
        field("arguments", call.arguments);
        field("passed_on", call.passedOn);
        field("received", call.received);
        field("results", call.results);
        field("arguments_after_call", call.argumentsAfterCall);
        field("own_nanoseconds", call.ownNanoseconds);
        field("actions", call.actions);
    }
};
template<>
struct Fields<steps::ComparedValue> {
    static void visit(auto& field, auto& value) {
        field("name", value.name);
        field("structure", value.structure);
        field("relative_error", value.relativeError);
        field("allowed", value.allowed);
        field("limit", value.limit);
        field("not_comparable", value.notComparable);
        field("causes", value.causes);
        field("hook_loss", value.hookLoss);
        field("agrees", value.agrees);
    }
};
template<>
struct Fields<steps::EagerCallComparison> {
    static void visit(auto& field, auto& eager) {
        field("skipped", eager.skipped);
        field("values", eager.values);
        field("losses", eager.losses);
        field("eager_losses", eager.eagerLosses);
        field("configuration", eager.configuration);
        field("only_compiled_fails", eager.onlyCompiledFails);
    }
};
template<>
struct Fields<steps::Departure> {
    static void visit(auto& field, auto& departure) {
        field("wrapper", departure.wrapper);
        field("name", departure.name);
        field("value", departure.value);
        field("how", departure.how);
        field("fails", departure.fails);
    }
};
template<>
struct Fields<steps::CallRecord> {
    static void visit(auto& field, auto& record) {
        field("events", record.events);
        field("wrappers", record.wrappers);
        field("outputs", record.outputs);
        field("arguments", record.arguments);
        field("gradients", record.gradients);
        field("eager", record.eager);
        field("departures", record.departures);
        field("nanoseconds", record.nanoseconds);
        field("notes", record.notes);
        field("error", record.error);
    }
};

template<>
struct Fields<ir::NodeOrigin> {
    static void visit(auto& field, auto& origin) {
        field("source", origin.source);
        field("backward_of_forward", origin.backwardOfForward);
        field("recompute", origin.recompute);
        field("ac_graph_id", origin.acGraphId);
        field("annotation", origin.annotation);
        field("other", origin.other);
    }
};
template<>
struct Fields<steps::EventFacts> {
    static void visit(auto& field, auto& facts) {
        field("origin", facts.origin);
        field("nan_count", facts.nanCount);
        field("inf_count", facts.infCount);
        field("largest", facts.largest);
        field("shape_changed", facts.shapeChanged);
        field("mutated", facts.mutated);
        field("alive_bytes", facts.aliveBytes);
        field("kernel", facts.kernel);
    }
};
inline Json toJson(const std::shared_ptr<const std::vector<steps::EventFacts>>& facts, JsonContext& context) {
    return facts ? toJson(*facts, context) : Json(nullptr);
}
inline void fromJson(const Json& json, std::shared_ptr<const std::vector<steps::EventFacts>>& facts,
                     JsonContext& context) {
    facts = nullptr;
    if (!json.is_null()) {
        std::vector<steps::EventFacts> read;
        fromJson(json, read, context);
        facts = std::make_shared<const std::vector<steps::EventFacts>>(std::move(read));
    }
}
template<>
struct Fields<steps::ValueDetails> {
    static void visit(auto& field, auto& details) {
        field("state", details.state);
        field("minimum", details.minimum);
        field("mean", details.mean);
        field("maximum", details.maximum);
        field("nan_count", details.nanCount);
        field("inf_count", details.infCount);
        field("histogram", details.histogram);
    }
};
template<>
struct Fields<steps::StepPause> {
    static void visit(auto& field, auto& pause) {
        field("number", pause.number);
        field("reason", pause.reason);
        field("record", pause.record);
        field("facts", pause.facts);
        field("next", pause.next);
        field("values", pause.values);
        field("generator", pause.generator);
        field("checkpoints", pause.checkpoints);
        field("checkpoint_bytes", pause.checkpointBytes);
        field("checkpoint_limit", pause.checkpointLimit);
        field("refused", pause.refused);
        field("notes", pause.notes);
    }
};

} // namespace aotscope::aot::detail
