#pragma once

#include "contract/backend.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Answers ReferenceCall: runs `graph` on the CPU, and node by node beside it `against` in
/// float64. All failures are returned as errors.
[[nodiscard]] base::Result<session::ReferenceSnapshot> runWithReference(const ir::Graph& graph,
                                                                        const ir::Graph& against,
                                                                        const session::RunOptions& options,
                                                                        const base::Progress& progress);

} // namespace aotscope::torch
