#pragma once

#include "run/state/run_context.h"
#include "wrappers/boxed_call.h"
#include "wrappers/call_observer.h"

#include "ir/graph.h"

#include "base/progress.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::torch {

/// What all graphs of a compiled function share.
struct GraphSettings {
    /// The tensors behind get_attr nodes, by name.
    std::map<std::string, at::Tensor, std::less<>> constants;
    /// On which devices the graphs run.
    RunPlace place = {};
    base::Progress progress;
    /// The graph's views know what they are views of, as those do that PyTorch runs with grad mode off. Not
    /// inside an autograd function, which tells autograd itself of its results.
    bool tracksViews = false;
    /// Null: nobody watches. Must outlive the function.
    CallObserver* observer = nullptr;
    /// What a person needs to judge the numbers.
    std::vector<std::string> notes;
    /// Whether the forward was not called yet. Then PyTorch runs its operators in a mode
    /// (runtime_wrappers.py: _AnalyzeCustomOpInputOutputMode).
    bool isFirstCall = true;
};

/// The innermost call: runs a graph below autograd, whose work the graph contains. Symbols get their values
/// from the arguments.
[[nodiscard]] BoxedCall graphCall(ir::GraphPtr graph, bool backward, std::shared_ptr<GraphSettings> settings);

} // namespace aotscope::torch
