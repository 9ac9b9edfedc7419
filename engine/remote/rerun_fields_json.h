#pragma once

#include "remote/answer_fields_json.h"

/// The members of requests for reruns and of their results, for aot/fields_json.h.
namespace aotscope::aot::detail {

template<>
struct Fields<session::ValueDifference> {
    static void visit(auto& field, auto& difference) {
        field("max", difference.max);
        field("mean", difference.mean);
        field("relative", difference.relative);
        field("worst_index", difference.worstIndex);
        field("worst_value", difference.worstValue);
        field("worst_expected", difference.worstExpected);
        field("incomparable", difference.incomparable);
    }
};
template<>
struct Fields<session::RerunValue> {
    static void visit(auto& field, auto& value) {
        field("node", value.node);
        field("output", value.output);
        field("summary", value.summary);
        field("from_run", value.fromRun);
        field("from_baseline", value.fromBaseline);
    }
};
template<>
struct Fields<session::RerunCost> {
    static void visit(auto& field, auto& cost) {
        field("bytes", cost.bytes);
        field("flops", cost.flops);
        field("unknown", cost.unknown);
    }
};
template<>
struct Fields<session::DeviceLimits> {
    static void visit(auto& field, auto& limits) {
        field("device", limits.device);
        field("bytes_per_second", limits.bytesPerSecond);
        field("flops_per_second", limits.flopsPerSecond);
        field("origin", limits.origin);
    }
};
template<>
struct EnumWords<kernels::CompileMessage::Severity> {
    static constexpr std::array<std::string_view, 3> names = {"error", "warning", "remark"};
};
template<>
struct Fields<kernels::CompileMessage> {
    static void visit(auto& field, auto& message) {
        field("severity", message.severity);
        field("line", message.line);
        field("column", message.column);
        field("file", message.file);
        field("text", message.text);
    }
};
template<>
struct Fields<session::RerunBuild> {
    static void visit(auto& field, auto& build) {
        field("compiler", build.compiler);
        field("seconds", build.seconds);
        field("messages", build.messages);
    }
};
template<>
struct Fields<session::RerunResult> {
    static void visit(auto& field, auto& result) {
        field("nodes", result.nodes);
        field("samples", result.samples);
        field("overhead", result.overheadNanoseconds);
        field("clock", result.clock);
        field("cost", result.cost);
        field("limits", result.limits);
        field("build", result.build);
        field("inputs", result.inputs);
        field("outputs", result.outputs);
        field("output_data", result.outputData);
        field("restored", result.restored);
        field("device", result.device);
        field("backend", result.backend);
        field("seed", result.seed);
        field("symbols", result.symbols);
        field("notes", result.notes);
        field("nanoseconds", result.nanoseconds);
    }
};
template<>
struct Fields<session::RerunRequest> {
    static void visit(auto& field, auto& request) {
        field("graph", request.graph);
        field("nodes", request.nodes);
        field("run", request.run);
        field("settings", request.settings);
        field("kernel", request.kernel);
        field("keep_outputs", request.keepOutputs);
        field("baseline", request.baseline);
    }
};
template<>
struct Fields<remote::RerunCall> {
    static void visit(auto& field, auto& call) { field("request", call.request); }
};

} // namespace aotscope::aot::detail
