#pragma once

#include "contract/kernel_check.h"
#include "contract/run_options.h"

#include "base/progress.h"
#include "base/result.h"
#include "ir/graph.h"
#include "kernels/fusion_plan.h"

#include <functional>

namespace aotscope::torch {

/// Changes the texts of kernels before they are compiled.
using ChangePlan = std::function<void(kernels::FusionPlan&)>;

/// Answers KernelsCall. The graph runs three times on equal inputs: to learn how its tensors
/// lie, to compare each kernel on the values that the nodes really had, and with all kernels in place
/// (fused_run_check.h).
[[nodiscard]] base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph,
                                                              const session::RunOptions& options,
                                                              const base::Progress& progress,
                                                              const ChangePlan& change = {});

} // namespace aotscope::torch
