#pragma once

#include "contract/run_options.h"

#include "base/describe.h"

#include <cstddef>
#include <optional>
#include <string>

namespace aotscope::session {

/// What a compiled function is called with. Call i has seed + i. Inputs go by the name of the program's
/// placeholder or of the compiled graph's ("primals_1"); generated as others are the tangents that the
/// backward starts from: one for each output that requires grad.
struct CallOptions : RunInputs {
    /// How many calls in a row, on the same arguments.
    std::size_t calls = 1;
    /// The backward of the last call is called twice, the first time with `retain_graph=True`. After another
    /// call, with which PyTorch compiles the backward, it is refused where buffers are donated.
    bool backwardTwice = false;
    /// Set: a training loop. The backward starts from a loss, the sum of the mean squares of the outputs that
    /// require grad; after it a step of plain SGD with this rate on the leaves.
    std::optional<double> learningRate;
    /// The text of saved-tensors hooks (hooks/hook_text.h) that are called while the function runs, as
    /// PyTorch calls hooks that it cannot inline because they are no graphs: each saved tensor is packed when
    /// autograd's node keeps it, and unpacked when the backward begins. Nothing: there are none.
    std::optional<std::string> runTimeHooks = {};
    /// Also run the program in eager mode on equal arguments and compare.
    bool compareWithEager = true;
};
AOTSCOPE_MORE_MEMBERS(CallOptions, RunInputs, calls, backwardTwice, learningRate, runTimeHooks,
                      compareWithEager)

} // namespace aotscope::session
