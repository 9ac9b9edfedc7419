#include "load/record_kind.h"

#include "load/graph_kind.h"

#include <algorithm>
#include <array>
#include <optional>

namespace aotscope::load {

namespace {

struct Entry {
    std::string_view key;
    RecordKind kind = RecordKind::Other;
    RecordRole role = RecordRole::Part;
    /// The main graph that such a record holds.
    std::optional<GraphKind> graph = std::nullopt;
};

// Sorted by key, for the binary search below.
constexpr std::array keys = {
    Entry{"aot_autograd_backward_compilation_metrics", RecordKind::BackwardCompilationMetrics,
          RecordRole::BackwardEnds},
    Entry{"aot_backward_graph", RecordKind::AotBackwardGraph, RecordRole::BackwardGraph, GraphKind::Backward},
    Entry{"aot_forward_graph", RecordKind::AotForwardGraph, RecordRole::Part, GraphKind::Forward},
    Entry{"aot_inference_graph", RecordKind::AotInferenceGraph, RecordRole::Part, GraphKind::Inference},
    Entry{"aot_joint_graph", RecordKind::AotJointGraph, RecordRole::Part, GraphKind::Joint},
    Entry{"artifact", RecordKind::Artifact},
    Entry{"bwd_compilation_metrics", RecordKind::BackwardCompilationMetrics, RecordRole::BackwardEnds},
    Entry{"bwd_compilation_metrics_runtime", RecordKind::RuntimeCompilationMetrics, RecordRole::Aside},
    Entry{"chromium_event", RecordKind::ChromiumEvent, RecordRole::Aside},
    Entry{"compilation_metrics", RecordKind::CompilationMetrics, RecordRole::Ends},
    Entry{"compilation_metrics_runtime", RecordKind::RuntimeCompilationMetrics, RecordRole::Aside},
    Entry{"compiled_autograd_graph", RecordKind::CompiledAutogradGraph, RecordRole::Graph,
          GraphKind::CompiledAutograd},
    Entry{"create_symbol", RecordKind::CreateSymbol, RecordRole::Describes},
    Entry{"create_unbacked_symbol", RecordKind::CreateUnbackedSymbol, RecordRole::Describes},
    Entry{"describe_source", RecordKind::DescribeSource, RecordRole::DescribesInput},
    Entry{"describe_storage", RecordKind::DescribeStorage, RecordRole::DescribesInput},
    Entry{"describe_tensor", RecordKind::DescribeTensor, RecordRole::DescribesInput},
    Entry{"dump_file", RecordKind::DumpFile, RecordRole::Aside},
    Entry{"dynamo_cpp_guards_str", RecordKind::DynamoCppGuards},
    Entry{"dynamo_guards", RecordKind::DynamoGuards},
    Entry{"dynamo_output_graph", RecordKind::DynamoOutputGraph, RecordRole::Graph, GraphKind::Dynamo},
    Entry{"dynamo_start", RecordKind::DynamoStart, RecordRole::Starts},
    Entry{"exported_program", RecordKind::ExportedProgram},
    Entry{"expression_created", RecordKind::ExpressionCreated, RecordRole::Describes},
    Entry{"graph_dump", RecordKind::GraphDump},
    Entry{"guard_added", RecordKind::GuardAdded, RecordRole::Describes},
    Entry{"guard_added_fast", RecordKind::GuardAddedFast, RecordRole::Describes},
    Entry{"inductor_output_code", RecordKind::InductorOutputCode, RecordRole::Generates},
    Entry{"inductor_post_grad_graph", RecordKind::InductorPostGradGraph, RecordRole::Generates},
    Entry{"inductor_pre_grad_graph", RecordKind::InductorPreGradGraph},
    Entry{"link", RecordKind::Link},
    Entry{"str", RecordKind::Str, RecordRole::Aside},
    Entry{"symbolic_shape_specialization", RecordKind::SymbolicShapeSpecialization, RecordRole::Describes},
};
static_assert(std::ranges::is_sorted(keys, {}, &Entry::key));

/// The first row with that value in a column; else one that says nothing.
template<typename Value>
Entry entryWith(Value Entry::*column, const Value& value) {
    const auto* const found = std::ranges::find(keys, value, column);
    return found != keys.end() ? *found : Entry{};
}

Entry entryOf(std::string_view key) {
    const auto* const found = std::ranges::lower_bound(keys, key, {}, &Entry::key);
    return found != keys.end() && found->key == key ? *found : Entry{};
}

// Artifacts whose payload is a graph although their name does not end like one.
constexpr std::array<std::string_view, 11> graphArtifacts = {
    "before_pre_grad_graph",
    "after_pre_grad_graph",
    "before_post_grad_graph",
    "after_post_grad_graph",
    "inductor_post_grad_graph",
    "inductor_pre_grad_graph",
    "before_joint_graph",
    "after_joint_graph",
    "compiled_autograd_graph_pre_reordering",
    "overlap_scheduling_graph_before",
    "overlap_scheduling_graph_after",
};

bool isGraphArtifact(std::string_view name) {
    if (std::find(graphArtifacts.begin(), graphArtifacts.end(), name) != graphArtifacts.end() ||
        name == base::wordOf(GraphKind::InferenceAfterPasses)) {
        return true;
    }
    // `<pass>_pre_grad`, before_recompile_post_grad, before_activation_quantization_fwd_aten_pass, …
    return name.ends_with("_pre_grad") || name.ends_with("_post_grad") || name.ends_with("_aten_pass") ||
           name == "fusion_regions_before" || name == "fusion_regions_after";
}

} // namespace

RecordKind kindFromKey(std::string_view key) {
    return entryOf(key).kind;
}

std::string_view keyOf(RecordKind kind) {
    return entryWith(&Entry::kind, kind).key;
}

RecordRole roleOfKey(std::string_view key) {
    return entryOf(key).role;
}

std::string_view mainGraphName(RecordKind kind) {
    const auto graph = entryWith(&Entry::kind, kind).graph;
    return graph ? base::wordOf(*graph) : std::string_view();
}

bool holdsGraph(RecordKind kind, std::string_view artifactName) {
    if (kind == RecordKind::Artifact) {
        return isGraphArtifact(artifactName);
    }
    return isOneOf(kind, {RecordKind::InductorPreGradGraph, RecordKind::InductorPostGradGraph}) ||
           !mainGraphName(kind).empty();
}

bool isOpenable(RecordKind kind) {
    return kind != RecordKind::ChromiumEvent;
}

} // namespace aotscope::load
