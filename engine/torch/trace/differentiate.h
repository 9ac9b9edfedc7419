#pragma once

#include "trace/graph_recorder.h"

#include <functional>
#include <vector>

namespace aotscope::torch {

/// The source a backward node comes from, by the sequence number autograd gave it in the forward.
using OriginOfSequence = std::function<std::shared_ptr<const ir::NodeOrigin>(std::uint64_t sequenceNumber)>;

/// Makes an outer tensor require grad as an input of the traced function does: not a leaf, so that the
/// function may change it in place; what made it is out of reach (`_mirror_autograd_meta_to`).
void requireGradAsInput(const at::Tensor& tensor);

/// Runs autograd from `outputs` with gradients `tangents` to `inputs`, on this thread; every operator of the
/// backward is recorded with the sequence number and source of the forward node it belongs to. A result is
/// undefined where an output does not depend on the input. `recorder` may be null.
[[nodiscard]] std::vector<at::Tensor> differentiate(const std::vector<at::Tensor>& outputs,
                                                    const std::vector<at::Tensor>& inputs,
                                                    const std::vector<at::Tensor>& tangents,
                                                    GraphRecorder* recorder,
                                                    const OriginOfSequence& originOf);

} // namespace aotscope::torch
