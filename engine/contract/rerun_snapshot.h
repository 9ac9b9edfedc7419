#pragma once

#include "contract/rerun_request.h"
#include "contract/rerun_result.h"
#include "contract/snapshots.h"

#include <memory>
#include <optional>

namespace aotscope::session {

/// A rerun of nodes of a graph, with its settings.
struct RerunSnapshot {
    GraphSnapshotPtr graph;
    RerunSettings settings;
    /// Only of a fused kernel.
    std::optional<RerunKernel> kernel;
    RerunResultPtr result;
    /// What it was compared with; null: only with the run.
    RerunResultPtr baseline;
};
using RerunSnapshotPtr = std::shared_ptr<const RerunSnapshot>;

} // namespace aotscope::session
