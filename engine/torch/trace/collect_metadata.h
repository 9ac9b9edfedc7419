#pragma once

#include "fake/shape_environment.h"
#include "trace/traced_program.h"

namespace aotscope::torch {

/// What the metadata pass found, and the tensors it was found on.
struct CollectedMetadata {
    ir::ViewAndMutationMeta meta;
    /// Fake tensors that the backward's tangents look like, in the order of `meta.tracedTangents`.
    std::vector<at::Tensor> tangents;
    /// Whether an output of its own, or an input mutated where autograd sees it, requires grad; if not, a
    /// trace of inputs that do is downgraded to an inference graph.
    bool needsGrad = false;
    /// How many of the last outputs are no outputs of the program, but inputs whose sizes or strides it
    /// changed (AOTSyntheticBaseWrapper).
    std::size_t metadataMutations = 0;
};

/// Runs the program once on functional tensors, recording nothing, and reads off which inputs it mutates and
/// what its outputs alias (`run_functionalized_fw_and_collect_metadata`); with `preDispatch` as
/// PreDispatchScope does. Throws what the program throws.
[[nodiscard]] CollectedMetadata collectMetadata(const TracedProgram& program,
                                                const std::vector<TracedInput>& inputs,
                                                bool keepInputMutations, ShapeEnvironment& environment,
                                                bool preDispatch = false);

} // namespace aotscope::torch
