#pragma once

#include "ops/interpreter.h"
#include "trace/graph_capture.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"

#include "base/progress.h"

#include <string>

/// AOTAutograd's export: an exported graph runs without runtime wrappers, so programs that need them are
/// refused with RunFailure (trace.export; trace.attribute for assigned attributes). Follows torch 2.11,
/// torch/_functorch/aot_autograd.py: aot_export_module, aot_export_joint_simple.
namespace aotscope::torch {

/// Refuses an export. `pytorch`: PyTorch's own message.
[[noreturn]] void ban(std::string message, std::string hint, const std::string& pytorch,
                      std::string code = "trace.export");

/// Refuses options that exclude each other, and programs that assign tensors to attributes of their module.
void checkExportRequest(const aot::RetraceRequest& request);

/// Wraps the program so that each run checks its outputs: the loss must be a single number that requires
/// grad, and no other output may require grad.
[[nodiscard]] TracedProgram withLoss(TracedProgram program, std::optional<std::size_t> loss);

/// Refuses metadata mutations of inputs and, for a joint graph, data mutations of inputs that require grad.
void checkExportedInputs(const aot::ExportOptions& options, const std::vector<TracedInput>& inputs,
                         const ir::ViewAndMutationMeta& metadata);
/// The additional checks of aot_export_joint_simple, whose graph has the program's calling convention:
/// refuses mutated inputs and outputs that alias anything.
void checkSameCalls(const std::vector<TracedInput>& inputs, const ir::ViewAndMutationMeta& metadata);

/// Records an `_assert_tensor_metadata` before a conversion method (`to`, `float`, `cuda`…): the result of a
/// conversion depends on the tensor's dtype, device and layout. Follows torch 2.11,
/// torch/_subclasses/functional_tensor.py: FunctionalTensor.to.
void assertConverted(const ops::NodeCall& call);

/// Traces a joint graph once more without tangents: the result takes the inputs and returns the outputs and
/// those gradients that are not None, as aot_export_module does (flattened_joint).
[[nodiscard]] ir::GraphBuilder flattenJointGraph(const ir::GraphContents& joint,
                                                 const std::vector<TracedInput>& inputs,
                                                 CollectedMetadata& metadata, const CaptureContext& context,
                                                 const base::Progress& progress);

} // namespace aotscope::torch
