#pragma once

#include "aot/compile_configuration.h"
#include "aot/graph_signature.h"
#include "aot/retrace_guard.h"
#include "aot/wrapper_step.h"

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::passes {
struct Partition;
}

namespace aotscope::aot {

/// One function as AOTAutograd compiles it: everything that is known of the compile, as a value. A stage of
/// the pipeline (aot/pipeline.h) takes one and gives the next; who is handed one does not change it. Graphs
/// are shared, so that a copy is cheap.
struct CompiledFunction {
    TracePath path = TracePath::Inference;
    /// Why this path, in words.
    std::string reason;
    CompileConfiguration configuration;
    /// What was compiled: Dynamo's graph, or a pre-dispatch ATen graph.
    ir::GraphPtr program;
    /// Of the function that is traced: after duplicates and aliased inputs are dealt with.
    ir::ViewAndMutationMeta metadata;
    /// The joint graph, the inference graph, or what was exported (AOTGraphCapture.graph_module); null until
    /// it is traced.
    ir::GraphPtr graph;
    /// Whether the graph is of primals and tangents, outputs and gradients: what a partitioner splits.
    bool joint = false;
    std::vector<RetraceGuard> guards;
    /// Null until a joint graph is partitioned.
    std::shared_ptr<const passes::Partition> partition;
    /// Until the last stage those that are decided before the trace (dedupe, synthetic bases); after it all,
    /// as postCompileWrappers has them.
    std::vector<WrapperStep> wrappers;
    /// Of what was exported; nothing of the rest, and of an exported graph with an input or output that has
    /// no place in a signature.
    std::optional<GraphSignature> signature;

    /// What is compiled for the forward: a half, or the inference graph; null of what is not split yet and of
    /// what was exported.
    [[nodiscard]] ir::GraphPtr forward() const;
    /// Null of what has no backward, or is not split yet.
    [[nodiscard]] ir::GraphPtr backward() const;
};

/// Per input of a joint graph the node that is its gradient; an invalid one where there is none (`None`).
/// Empty of what is no joint graph.
[[nodiscard]] std::vector<ir::NodeId> gradientsOf(const CompiledFunction& function);

/// Inputs that require grad, are no leaves and never get a gradient (`_indices_of_inps_to_detach`).
[[nodiscard]] std::vector<std::size_t> inputsToDetach(const CompiledFunction& function);

/// How many inputs of a graph have a descriptor of that class.
template<typename T>
[[nodiscard]] std::size_t countInputs(const ir::Graph& graph) {
    std::size_t count = 0;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::AOTInput* input = ir::inputDescriptor(graph.node(id));
        count += input != nullptr && input->as<T>() != nullptr ? 1 : 0;
    }
    return count;
}

/// The same of outputs.
template<typename T>
[[nodiscard]] std::size_t countOutputs(const ir::Graph& graph) {
    const auto node = graph.output();
    std::size_t count = 0;
    for (std::size_t i = 0; node && i < graph.node(*node).descriptors.size(); ++i) {
        const ir::AOTOutput* output = ir::outputDescriptor(graph.node(*node), i);
        count += output != nullptr && output->as<T>() != nullptr ? 1 : 0;
    }
    return count;
}

} // namespace aotscope::aot
