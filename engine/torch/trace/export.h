#pragma once

#include "ops/interpreter.h"
#include "trace/graph_capture.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"

#include "base/progress.h"

/// AOTAutograd's export: what it bans, because no wrapper stands around an exported graph, and the graphs it
/// makes. What is banned throws RunFailure (trace.export; trace.attribute for assigned attributes).
namespace aotscope::torch {

/// Options that exclude each other, and tensors that the program puts into attributes of its module.
void checkExportRequest(const aot::RetraceRequest& request);

/// The program with what an exported joint graph asks of its outputs when it runs: one is the loss, a single
/// number that requires grad, and no other requires grad.
[[nodiscard]] TracedProgram withLoss(TracedProgram program, std::optional<std::size_t> loss);

/// Inputs of another shape afterwards, and gradients of inputs that are changed.
void checkExportedInputs(const aot::ExportOptions& options, const std::vector<TracedInput>& inputs,
                         const ir::ViewAndMutationMeta& metadata);
/// What `aot_export_joint_simple` bans besides: the exported graph is called as the program is.
void checkSameCalls(const std::vector<TracedInput>& inputs, const ir::ViewAndMutationMeta& metadata);

/// Where a tensor is converted, an exported graph asserts what it was
/// (`_assert_tensor_metadata`): the program may choose by that.
void assertConverted(const ops::NodeCall& call);

/// A joint graph as one function of the inputs alone, which returns outputs and the gradients there are:
/// traced once more, as `aot_export_module` does.
[[nodiscard]] ir::Graph flattenJointGraph(const ir::Graph& joint, const std::vector<TracedInput>& inputs,
                                          CollectedMetadata& metadata, const CaptureContext& context,
                                          const base::Progress& progress);

} // namespace aotscope::torch
