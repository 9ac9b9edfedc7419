#pragma once

#include "aot/compile_configuration.h"
#include "aot/graph_signature.h"
#include "aot/retrace_guard.h"
#include "aot/tensor_data.h"
#include "aot/wrapper_step.h"

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::passes {
struct Partition;
}

namespace aotscope::aot {

/// One function as AOTAutograd compiles it, with everything known of the compile. A stage of a compile
/// (aot/compile.h) takes one and returns the next. Graphs are shared and immutable, so a copy is cheap.
/// Follows torch 2.11, torch/_functorch/_aot_autograd/schemas.py: AOTState and AOTGraphCapture.
struct CompiledFunction {
    TracePath path = TracePath::Inference;
    /// Why this path, in words.
    std::string reason;
    CompileConfiguration configuration;
    /// What was compiled: Dynamo's graph, or a pre-dispatch ATen graph.
    ir::GraphPtr program;
    /// Metadata of the function that is traced, that is after dedupe and synthetic bases.
    ir::ViewAndMutationMeta metadata;
    /// The joint, inference or exported graph (AOTGraphCapture.graph_module); null before the trace.
    ir::GraphPtr graph;
    /// True: `graph` takes primals and tangents and returns outputs and gradients; a partitioner can split
    /// it.
    bool joint = false;
    std::vector<RetraceGuard> guards;
    /// The tensors that `graph` reads by get_attr, by name: the program's constants.
    std::map<std::string, TensorData, std::less<>> constants = {};
    /// Null before the partition, and where there is no joint graph.
    std::shared_ptr<const passes::Partition> partition;
    /// Before the last stage only those decided before the trace (dedupe, synthetic bases); after it all of
    /// them, as postCompileWrappers returns them.
    std::vector<WrapperStep> wrappers;
    /// Set for an exported graph whose inputs and outputs all have a place in a signature.
    std::optional<GraphSignature> signature;

    /// The graph to compile for the forward: the forward half or the inference graph. Null before the
    /// partition and for an exported graph.
    [[nodiscard]] ir::GraphPtr forward() const;
    /// The backward half; null before the partition and where there is no backward.
    [[nodiscard]] ir::GraphPtr backward() const;
};

/// For each input of the function the node of its gradient in the joint graph; invalid where it has none
/// (`None`). Empty when the graph is not a joint graph.
[[nodiscard]] std::vector<ir::NodeId> gradientsOf(const CompiledFunction& function);

/// Inputs that require grad, are not leaves and get no gradient. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: `_indices_of_inps_to_detach` in _aot_stage2a_partition.
[[nodiscard]] std::vector<std::size_t> inputsToDetach(const CompiledFunction& function);

/// How many inputs of a graph have a descriptor of class T.
template<typename T>
[[nodiscard]] std::size_t countInputs(const ir::Graph& graph) {
    std::size_t count = 0;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::AOTInput* input = ir::inputDescriptor(graph.node(id));
        count += input != nullptr && input->as<T>() != nullptr ? 1 : 0;
    }
    return count;
}

/// How many outputs of a graph have a descriptor of class T.
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
