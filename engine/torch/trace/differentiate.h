#pragma once

#include "trace/tracer.h"

#include <functional>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// Finds the origin of a backward node by the sequence number that autograd assigned in the forward.
using OriginOfSequence = std::function<std::shared_ptr<const ir::NodeOrigin>(std::uint64_t sequenceNumber)>;

/// An input of the traced function as it takes it: a tensor in both layers, a number as it is.
[[nodiscard]] c10::IValue outerInput(const c10::IValue& value, bool requiresGrad);

/// Where a backward begins, with which gradients, and where it ends.
struct BackwardEnds {
    const std::vector<at::Tensor>& outputs;
    const std::vector<at::Tensor>& inputs;
    const std::vector<at::Tensor>& tangents;
};

/// Runs autograd on this thread, in a trace that records. Every operator of the backward is recorded with the
/// sequence number and source of its forward node. Returns one gradient per input, undefined where no output
/// depends on it. `autocast`: FunctorchConfig::backwardPassAutocast. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/logging_utils.py: setup_stacktrace_preservation_hooks.
[[nodiscard]] std::vector<at::Tensor> differentiate(const BackwardEnds& ends, Tracer& tracer,
                                                    std::string_view autocast,
                                                    const OriginOfSequence& originOf);

} // namespace aotscope::torch
