#pragma once

#include "wrappers/boxed_call.h"
#include "wrappers/call_observer.h"
#include "wrappers/graph_call.h"
#include "wrappers/run_time_hooks.h"

#include "aot/compiled_function.h"

#include "base/progress.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::torch {

class BackwardHalf;

/// Makes a graph callable, as PyTorch's fw_compiler and bw_compiler do. May throw.
using GraphCompiler =
    std::function<BoxedCall(ir::GraphPtr graph, bool backward, std::shared_ptr<GraphSettings> settings)>;

/// A compiled function that can be called with real tensors.
struct ComposedCall {
    BoxedCall call;
    std::shared_ptr<GraphSettings> settings;
    /// Null for a function without a backward.
    std::shared_ptr<BackwardHalf> backward;
    /// What did not go as planned, such as a backward that could not be compiled ahead.
    std::vector<std::string> notes;
};

/// Puts the wrappers of a compile around its graphs in PyTorch's order: those that apply, from the first,
/// which is the innermost. An exported function is its graph alone. With `observer`, which must outlive the
/// call, every wrapper is watched; without one nothing is added.
///
/// `packHook`: called for each tensor that the autograd node keeps. `names`: of the caller's arguments, for
/// messages. `place`: on which devices the graphs run. `compiler`: null runs the graphs node by node
/// (graphCall). Throws RunFailure: call.subclass (tensor subclasses are not supported), call.not_partitioned,
/// call.constants. Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: post_compile, and
/// graph_compile.py.
[[nodiscard]] ComposedCall composeCall(const aot::CompiledFunction& function,
                                       const std::vector<std::string>& names, const base::Progress& progress,
                                       CallObserver* observer, const GraphCompiler& compiler = {},
                                       const PackHook& packHook = {}, const RunPlace& place = {});

} // namespace aotscope::torch
