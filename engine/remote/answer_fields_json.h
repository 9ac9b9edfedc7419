#pragma once

#include "remote/request_fields_json.h"

#include "aot/error_fields_json.h"
#include "ir/text/descriptor_text.h"

/// The members of answers for aot/fields_json.h.
namespace aotscope::aot::detail {

template<>
struct Fields<remote::Failure> {
    static void visit(auto& field, auto& failure) { field("error", failure.error); }
};
template<>
struct Fields<base::ProgressState> {
    static void visit(auto& field, auto& state) {
        field("stage", state.stage);
        field("done", state.done);
        field("total", state.total);
        field("detail", state.detail);
        field("waits", state.waits);
    }
};
template<>
struct Fields<remote::Hello> {
    static void visit(auto& field, auto& hello) { field("version", hello.version); }
};

template<>
struct EnumWords<TraceStageKind> {
    static constexpr std::array<std::string_view, 5> names = {"program", "resolved", "functional",
                                                              "decomposed", "joint"};
};
template<>
struct Fields<TraceStage> {
    static void visit(auto& field, auto& stage) {
        field("kind", stage.kind);
        field("graph", stage.graph);
        field("note", stage.note);
    }
};
inline Json toJson(const ir::Descriptor& descriptor, JsonContext&) {
    return {{"input", descriptor.input() != nullptr},
            {"text", ir::descriptorText(descriptor)},
            {"derived", descriptor.derived}};
}
inline void fromJson(const Json& json, ir::Descriptor& descriptor, JsonContext& context) {
    FieldReader field(json, context);
    bool isInput = false;
    std::string text;
    bool derived = false;
    field("input", isInput);
    field("text", text);
    field("derived", derived);
    descriptor = isInput ? ir::parsePlaceholderDescriptor(text) : ir::parseReturnedDescriptor(text);
    descriptor.derived = derived;
}
template<>
struct Fields<EagerNumbers> {
    static void visit(auto& field, auto& numbers) {
        field("skipped", numbers.skipped);
        field("descriptors", numbers.descriptors);
        field("traced", numbers.traced);
        field("eager", numbers.eager);
        field("spread", numbers.spread);
    }
};
/// All members but those of the compiled function.
template<>
struct Fields<RetraceResult> {
    static void visit(auto& field, auto& result) {
        field("nanoseconds", result.nanoseconds);
        field("libtorch", result.libTorch);
        field("stages", result.stages);
        field("numbers", result.numbers);
        field("notes", result.notes);
    }
};
inline Json toJson(const RetraceResult& result, JsonContext& context) {
    Json json = toJson<RetraceResult>(result, context);
    json["function"] = toJson(static_cast<const CompiledFunction&>(result), context);
    return json;
}
inline void fromJson(const Json& json, RetraceResult& result, JsonContext& context) {
    fromJson<RetraceResult>(json, result, context);
    FieldReader(json, context)("function", static_cast<CompiledFunction&>(result));
}

template<>
struct Fields<session::Histogram> {
    static void visit(auto& field, auto& histogram) {
        field("from", histogram.from);
        field("to", histogram.to);
        field("counts", histogram.counts);
    }
};
template<>
struct Fields<session::TensorSummary> {
    static void visit(auto& field, auto& summary) {
        field("dtype", summary.dtype);
        field("shape", summary.shape);
        field("stride", summary.stride);
        field("bytes", summary.bytes);
        field("minimum", summary.minimum);
        field("mean", summary.mean);
        field("maximum", summary.maximum);
        field("nan_count", summary.nanCount);
        field("inf_count", summary.infCount);
        field("zero_count", summary.zeroCount);
        field("subnormal_count", summary.subnormalCount);
        field("histogram", summary.histogram);
    }
};
template<>
struct EnumWords<session::RunOrigin> {
    static constexpr std::array<std::string_view, 3> names = {"computed", "stand_in",
                                                              "follows_from_stand_in"};
};
/// A node is written by its place in the graph that the call was about: the names of a broken graph may
/// repeat.
inline Json placeJson(ir::NodeId node, const JsonContext& context) {
    return context.graph->position(node);
}
inline void readPlace(const Json& json, ir::NodeId& node, JsonContext& context) {
    std::size_t position = 0;
    FieldReader(json, context)("node", position);
    if (context.graph == nullptr || position >= context.graph->order().size()) {
        context.complain("node: the graph has no node at place " + std::to_string(position));
        return;
    }
    node = context.graph->order()[position];
}

/// All members but the node.
template<>
struct Fields<session::NodeRun> {
    static void visit(auto& field, auto& run) {
        field("nanoseconds", run.nanoseconds);
        field("outputs", run.outputs);
        field("scalar", run.scalar);
        field("mismatch", run.mismatch);
        field("note", run.note);
        field("origin", run.origin);
        field("alive_bytes", run.aliveBytes);
        field("scratch_bytes", run.scratchBytes);
    }
};
template<>
struct Fields<session::NodeTensor> {
    static void visit(auto& field, auto& tensor) {
        field("data", tensor.data);
        field("summary", tensor.summary);
    }
};
/// All members but the node.
template<>
struct Fields<session::NodeValue> {
    static void visit(auto& field, auto& value) {
        field("tensors", value.tensors);
        field("origin", value.origin);
    }
};
template<>
struct Fields<session::ErrorSize> {
    static void visit(auto& field, auto& error) {
        field("absolute", error.absolute);
        field("relative", error.relative);
        field("ulps", error.ulps);
    }
};
template<>
struct EnumWords<session::NodeVerdict> {
    static constexpr std::array<std::string_view, 3> names = {"explained", "wrong", "not_checked"};
};
/// All members but the node.
template<>
struct Fields<session::NodeError> {
    static void visit(auto& field, auto& error) {
        field("output", error.output);
        field("dtype", error.dtype);
        field("total", error.total);
        field("own", error.own);
        field("inherited", error.inherited);
        field("allowed", error.allowed);
        field("verdict", error.verdict);
        field("reason", error.reason);
        field("worst_index", error.worstIndex);
        field("worst_value", error.worstValue);
        field("worst_expected", error.worstExpected);
    }
};

template<typename T>
concept IsOfANode = std::same_as<T, session::NodeRun> || std::same_as<T, session::NodeValue> ||
    std::same_as<T, session::NodeError>;
template<IsOfANode T>
requires HasFields<T> Json toJson(const T& value, JsonContext& context) {
    FieldWriter writer(context);
    Fields<T>::visit(writer, value);
    Json json = writer.take();
    json["node"] = placeJson(value.node, context);
    return json;
}
template<IsOfANode T>
requires HasFields<T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    FieldReader reader(json, context);
    Fields<T>::visit(reader, value);
    readPlace(json, value.node, context);
}

/// Shared values are written where they are.
template<HasFields T>
Json toJson(const std::shared_ptr<const T>& value, JsonContext& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}
template<HasFields T>
void fromJson(const Json& json, std::shared_ptr<const T>& value, JsonContext& context) {
    value = nullptr;
    if (!json.is_null()) {
        T read{};
        fromJson(json, read, context);
        value = std::make_shared<const T>(std::move(read));
    }
}
template<>
struct Fields<session::StandInOperator> {
    static void visit(auto& field, auto& standIn) {
        field("target", standIn.target);
        field("nodes", standIn.nodes);
    }
};
/// All members but the graph, which the caller has.
template<>
struct Fields<session::RunSnapshot> {
    static void visit(auto& field, auto& run) {
        field("seed", run.seed);
        field("device", run.device);
        field("symbols", run.symbols);
        field("nodes", run.nodes);
        field("nanoseconds", run.nanoseconds);
        field("peak_bytes", run.peakBytes);
        field("outputs", run.outputs);
        field("values", run.values);
        field("error", run.error);
        field("backend", run.backend);
        field("notes", run.notes);
        field("stand_ins", run.standIns);
        field("profile_trace", run.profileTrace);
    }
};

/// All members but the graphs, which the caller has.
template<>
struct Fields<session::ReferenceSnapshot> {
    static void visit(auto& field, auto& run) {
        field("seed", run.seed);
        field("symbols", run.symbols);
        field("nodes", run.nodes);
        field("first_wrong", run.firstWrong);
        field("error", run.error);
        field("nanoseconds", run.nanoseconds);
        field("backend", run.backend);
        field("notes", run.notes);
    }
};

template<>
struct EnumWords<kernels::KernelKind> {
    static constexpr std::array<std::string_view, 2> names = {"pointwise", "row_reduction"};
};
template<>
struct EnumWords<kernels::NodeFateKind> {
    static constexpr std::array<std::string_view, 7> names = {
        "no_kernel", "view", "folded_view", "fused", "generated_alone", "not_generated", "not_eligible"};
};
template<>
struct Fields<kernels::KernelLaunch> {
    static void visit(auto& field, auto& launch) {
        field("grid", launch.grid);
        field("block", launch.block);
        field("dynamic_shared_bytes", launch.dynamicSharedBytes);
    }
};
template<>
struct Fields<session::KernelVerdict> {
    static void visit(auto& field, auto& kernel) {
        field("name", kernel.name);
        field("source", kernel.source);
        field("kind", kernel.kind);
        field("launch", kernel.launch);
        field("rows", kernel.rows);
        field("columns", kernel.columns);
        field("nodes", kernel.nodes);
        field("agrees", kernel.agrees);
        field("error", kernel.error);
        field("allowed", kernel.allowed);
        field("identical", kernel.identical);
        field("difference", kernel.difference);
        field("explained", kernel.explained);
        field("failure", kernel.failure);
    }
};
template<>
struct Fields<session::KernelNode> {
    static void visit(auto& field, auto& node) {
        field("node", node.node);
        field("target", node.target);
        field("kind", node.kind);
        field("kernel", node.kernel);
        field("reason", node.reason);
    }
};
template<>
struct Fields<kernels::FusionCounts> {
    static void visit(auto& field, auto& counts) {
        field("eligible", counts.eligible);
        field("fused", counts.fused);
        field("generated_alone", counts.generatedAlone);
        field("not_eligible", counts.notEligible);
        field("folded_views", counts.foldedViews);
        field("kernels", counts.kernels);
    }
};
template<>
struct Fields<session::FusedRunVerdict> {
    static void visit(auto& field, auto& run) {
        field("agrees", run.agrees);
        field("distance", run.distance);
        field("allowed", run.allowed);
        field("difference", run.difference);
        field("explained", run.explained);
        field("failure", run.failure);
    }
};
template<>
struct Fields<session::KernelCheck> {
    static void visit(auto& field, auto& check) {
        field("backend", check.backend);
        field("compiler", check.compiler);
        field("kernels", check.kernels);
        field("nodes", check.nodes);
        field("counts", check.counts);
        field("whole_run", check.wholeRun);
        field("notes", check.notes);
        field("compile_seconds", check.compileSeconds);
        field("error", check.error);
    }
};

template<>
struct Fields<session::RoundTripError> {
    static void visit(auto& field, auto& error) {
        field("max", error.max);
        field("mean", error.mean);
        field("relative", error.relative);
    }
};
template<>
struct Fields<session::GradientError> {
    static void visit(auto& field, auto& error) {
        field("gradient", error.gradient);
        field("error", error.error);
    }
};
template<>
struct Fields<session::HookError> {
    static void visit(auto& field, auto& hook) {
        field("saved", hook.saved);
        field("value", hook.value);
        field("stored_bytes", hook.storedBytes);
        field("gradients", hook.gradients);
        field("failure", hook.failure);
    }
};
template<>
struct EnumWords<session::HookErrorsPart> {
    static constexpr std::array<std::string_view, 3> names = {"values", "together", "alone"};
};
template<>
struct Fields<session::HookErrors> {
    static void visit(auto& field, auto& made) {
        field("part", made.part);
        field("hooks", made.hooks);
        field("together", made.together);
        field("notes", made.notes);
        field("nanoseconds", made.nanoseconds);
    }
};

template<>
struct EnumWords<session::TracePhase> {
    static constexpr std::array<std::string_view, 3> names = {"metadata", "forward", "backward"};
};
template<>
struct Fields<session::TraceSymbol> {
    static void visit(auto& field, auto& symbol) {
        field("name", symbol.name);
        field("hint", symbol.hint);
        field("replaced_by", symbol.replacedBy);
    }
};
/// All members but the described graph, which the session makes.
template<>
struct Fields<session::TracePause> {
    static void visit(auto& field, auto& pause) {
        field("number", pause.number);
        field("reason", pause.reason);
        field("phase", pause.phase);
        field("name", pause.name);
        field("graph", pause.graph);
        field("node", pause.node);
        field("call", pause.call);
        field("target", pause.target);
        field("program_node", pause.programNode);
        field("source", pause.source);
        field("symbols", pause.symbols);
        field("guards", pause.guards);
        field("refused", pause.refused);
    }
};

template<>
struct EnumWords<session::CoverageArea> {
    static constexpr std::array<std::string_view, 3> names = {"calls", "shapes", "decompositions"};
};
template<>
struct EnumWords<session::CoverageState> {
    static constexpr std::array<std::string_view, 4> names = {"covered", "fallback", "missing", "outside"};
};
template<>
struct Fields<session::DeviceInfo> {
    static void visit(auto& field, auto& device) {
        field("choice", device.choice);
        field("name", device.name);
        field("memory_bytes", device.memoryBytes);
        field("cores", device.cores);
        field("compute_capability", device.computeCapability);
        field("l2_bytes", device.l2Bytes);
        field("peak_bytes_per_second", device.peakBytesPerSecond);
        field("peak_flops_per_second", device.peakFlopsPerSecond);
    }
};
template<>
struct Fields<session::MissingLibrary> {
    static void visit(auto& field, auto& library) {
        field("name", library.name);
        field("detail", library.detail);
        field("install", library.install);
    }
};
template<>
struct Fields<session::DeviceList> {
    static void visit(auto& field, auto& list) {
        field("devices", list.devices);
        field("driver_version", list.driverVersion);
        field("missing", list.missing);
        field("no_gpu", list.noGpu);
    }
};

template<>
struct Fields<session::CoverageRow> {
    static void visit(auto& field, auto& row) {
        field("area", row.area);
        field("group", row.group);
        field("name", row.name);
        field("state", row.state);
        field("note", row.note);
    }
};

} // namespace aotscope::aot::detail
