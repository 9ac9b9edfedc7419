#pragma once

#include "aot/tensor_data.h"
#include "contract/devices.h"

#include "ir/symbolic/expression.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace aotscope::session {

/// What a compiled function is called with.
struct CallOptions {
    /// Seeds the synthetic inputs and the random operators: call i with seed + i.
    std::uint64_t seed = 0;
    /// Where it runs, as in RunOptions.
    DeviceChoice device = {};
    /// Values of symbols; for others the log's hint is used, then a small default.
    ir::SymbolBindings symbols;
    /// Inputs by the name of the program's placeholder or of the compiled graph's ("primals_1"); others are
    /// generated from metadata and seed, as are the tangents that the backward starts from: one for each
    /// output that requires grad.
    std::map<std::string, aot::TensorData> inputs;
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
AOTSCOPE_MEMBERS(CallOptions, seed, device, symbols, inputs, calls, backwardTwice, learningRate, runTimeHooks,
                 compareWithEager)

} // namespace aotscope::session
