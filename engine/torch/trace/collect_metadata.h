#pragma once

#include "fake/shape_environment.h"
#include "trace/traced_program.h"

namespace aotscope::torch {

/// The result of the metadata pass.
struct CollectedMetadata {
    ir::ViewAndMutationMeta meta;
    /// Fake tensors with the metadata of the tangents, in the order of `meta.tracedTangents`.
    std::vector<at::Tensor> tangents;
    /// Whether autograd is needed: an output requires grad and is no alias of an input that does, or a data
    /// mutation of an input that requires grad is visible to autograd. If not, an inference graph is traced.
    bool needsGrad = false;
    /// Whether operators with effects are called, which a token orders.
    bool needsToken = false;
    /// How many of the last outputs AOTSyntheticBaseWrapper appended: inputs whose sizes or strides the
    /// program changed.
    std::size_t metadataMutations = 0;
};

struct MetadataOptions {
    bool keepInputMutations = true;
    /// FunctorchConfig::guessTangentStridesAsOutputs
    bool guessTangentStridesAsOutputs = false;
    /// Runs the program in a PreDispatchScope.
    bool preDispatch = false;
};

/// Runs the program once on functional tensors without recording a graph, and derives which inputs it mutates
/// and what its outputs alias. Throws what the program throws. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/collect_metadata_analysis.py: run_functionalized_fw_and_collect_metadata.
[[nodiscard]] CollectedMetadata collectMetadata(const TracedProgram& program,
                                                const std::vector<TracedInput>& inputs,
                                                const MetadataOptions& options,
                                                ShapeEnvironment& environment);

/// Whether a functional tensor has other sizes, strides or storage than `before`, the tensor that it wraps.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/functional_utils.py: has_metadata_mutation.
[[nodiscard]] bool hasMetadataMutation(const at::Tensor& functional, const at::Tensor& before);

/// Whether the backward takes a gradient for an output: its own tangent, not that of an input or a base that
/// it aliases.
[[nodiscard]] bool getsTangent(const ir::OutputAliasInfo& info, const c10::IValue& output,
                               const aot::TraceRules& rules);

} // namespace aotscope::torch
