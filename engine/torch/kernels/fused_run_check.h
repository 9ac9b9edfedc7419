#pragma once

#include "run/state/run_context.h"
#include "torch/kernels/compiled_kernels.h"

#include "contract/kernel_check.h"
#include "contract/run_options.h"

#include "base/progress.h"
#include "ir/graph.h"

#include <vector>

namespace aotscope::torch {

/// A run of a graph with its own operators.
struct PlainRun {
    /// What the graph returned, and then its inputs as it left them.
    std::vector<c10::IValue> values;
    /// With the sizes that data decided.
    ir::SymbolBindings symbols;
    /// The digits that kernels may have lost inside functions (KernelDistance::lost).
    double lost = 0;
};

/// Runs a graph with the kernels of its plan in place, on the inputs and random numbers of the plain run, and
/// compares. Values that are further apart than is expected of their dtype are judged by exact arithmetic:
/// the run is right if it is as far from that as the graph's own operators are. Throws Canceled, and
/// RunFailure (cuda.lost) where no other graph can run either.
[[nodiscard]] session::FusedRunVerdict
checkFusedRun(const ir::Graph& graph, const session::RunOptions& options, const base::Progress& progress,
              const kernels::FusionPlan& plan, const CompiledKernels& compiled, const PlainRun& plain);

} // namespace aotscope::torch
