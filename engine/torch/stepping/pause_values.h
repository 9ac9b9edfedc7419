#pragma once

#include "stepping/caller_state.h"
#include "stepping/tensor_summaries.h"
#include "wrappers/value_states.h"

#include "run/state/frame.h"
#include "steps/step_pause.h"

#include <set>
#include <vector>

namespace aotscope::torch {

/// What a pause shows of values.
struct ShownValues {
    const CallerTensors& callers;
    /// The running graph; null: none.
    const Frame* frame = nullptr;
    /// Nodes of it whose values get a histogram.
    std::set<ir::NodeId> near = {};
    /// Hash the elements of all values.
    bool contents = false;
};

/// The caller's arguments and their gradients, then the values of the running graph in program order. Tensors
/// that `states` knows keep their numbers.
[[nodiscard]] std::vector<steps::ValueDetails> pauseValues(const ShownValues& shown, ValueStates states,
                                                           TensorSummaries& summaries);

} // namespace aotscope::torch
