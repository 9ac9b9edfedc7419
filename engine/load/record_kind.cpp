#include "load/record_kind.h"

#include "load/graph_kind.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::load {

namespace {

using Entry = std::pair<std::string_view, RecordKind>;

// Sorted by key, for the binary search below.
constexpr std::array keys = {
    Entry{"aot_autograd_backward_compilation_metrics", RecordKind::BackwardCompilationMetrics},
    Entry{"aot_backward_graph", RecordKind::AotBackwardGraph},
    Entry{"aot_forward_graph", RecordKind::AotForwardGraph},
    Entry{"aot_inference_graph", RecordKind::AotInferenceGraph},
    Entry{"aot_joint_graph", RecordKind::AotJointGraph},
    Entry{"artifact", RecordKind::Artifact},
    Entry{"bwd_compilation_metrics", RecordKind::BackwardCompilationMetrics},
    Entry{"bwd_compilation_metrics_runtime", RecordKind::RuntimeCompilationMetrics},
    Entry{"chromium_event", RecordKind::ChromiumEvent},
    Entry{"compilation_metrics", RecordKind::CompilationMetrics},
    Entry{"compilation_metrics_runtime", RecordKind::RuntimeCompilationMetrics},
    Entry{"compiled_autograd_graph", RecordKind::CompiledAutogradGraph},
    Entry{"create_symbol", RecordKind::CreateSymbol},
    Entry{"create_unbacked_symbol", RecordKind::CreateUnbackedSymbol},
    Entry{"describe_source", RecordKind::DescribeSource},
    Entry{"describe_storage", RecordKind::DescribeStorage},
    Entry{"describe_tensor", RecordKind::DescribeTensor},
    Entry{"dump_file", RecordKind::DumpFile},
    Entry{"dynamo_cpp_guards_str", RecordKind::DynamoCppGuards},
    Entry{"dynamo_guards", RecordKind::DynamoGuards},
    Entry{"dynamo_output_graph", RecordKind::DynamoOutputGraph},
    Entry{"dynamo_start", RecordKind::DynamoStart},
    Entry{"exported_program", RecordKind::ExportedProgram},
    Entry{"expression_created", RecordKind::ExpressionCreated},
    Entry{"graph_dump", RecordKind::GraphDump},
    Entry{"guard_added", RecordKind::GuardAdded},
    Entry{"guard_added_fast", RecordKind::GuardAddedFast},
    Entry{"inductor_output_code", RecordKind::InductorOutputCode},
    Entry{"inductor_post_grad_graph", RecordKind::InductorPostGradGraph},
    Entry{"inductor_pre_grad_graph", RecordKind::InductorPreGradGraph},
    Entry{"link", RecordKind::Link},
    Entry{"str", RecordKind::Str},
    Entry{"symbolic_shape_specialization", RecordKind::SymbolicShapeSpecialization},
};
static_assert(std::is_sorted(keys.begin(), keys.end(),
                             [](const Entry& a, const Entry& b) { return a.first < b.first; }));

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
    const auto* const found =
        std::lower_bound(keys.begin(), keys.end(), key,
                         [](const Entry& entry, std::string_view k) { return entry.first < k; });
    return found != keys.end() && found->first == key ? found->second : RecordKind::Other;
}

std::string_view mainGraphName(RecordKind kind) {
    switch (kind) {
    case RecordKind::DynamoOutputGraph:
        return base::wordOf(GraphKind::Dynamo);
    case RecordKind::AotJointGraph:
        return base::wordOf(GraphKind::Joint);
    case RecordKind::AotForwardGraph:
        return base::wordOf(GraphKind::Forward);
    case RecordKind::AotBackwardGraph:
        return base::wordOf(GraphKind::Backward);
    case RecordKind::AotInferenceGraph:
        return base::wordOf(GraphKind::Inference);
    case RecordKind::CompiledAutogradGraph:
        return base::wordOf(GraphKind::CompiledAutograd);
    default:
        return {};
    }
}

bool holdsGraph(RecordKind kind, std::string_view artifactName) {
    switch (kind) {
    case RecordKind::InductorPreGradGraph:
    case RecordKind::InductorPostGradGraph:
        return true;
    case RecordKind::Artifact:
        return isGraphArtifact(artifactName);
    default:
        return !mainGraphName(kind).empty();
    }
}

bool isOpenable(RecordKind kind) {
    return kind != RecordKind::ChromiumEvent;
}

} // namespace aotscope::load
