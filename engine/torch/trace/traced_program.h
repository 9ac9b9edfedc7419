#pragma once

#include "torch_headers.h"

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include <functional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// One input of the traced function.
struct TracedInput {
    /// A fake tensor, or a symbolic or plain number.
    c10::IValue value;
    bool requiresGrad = false;
    bool isLeaf = true;
    ir::AOTInput descriptor = ir::DummyAOTInput{};
    /// The fake tensor that it is a view of (`_base`), undefined when it is not a view, and whether that
    /// requires grad.
    at::Tensor base = {};
    bool baseRequiresGrad = false;
};

/// The traced function: takes outer tensors or numbers in the order of its inputs and returns its flat
/// outputs. It is called several times and has no side effects other than mutations of its arguments.
using TracedProgram = std::function<std::vector<c10::IValue>(std::vector<c10::IValue> inputs)>;

} // namespace aotscope::torch
