#pragma once

#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <vector>

namespace aotscope::session {

/// A logged graph whose text cannot be read.
struct UnreadableGraph {
    ArtifactReference graph;
    /// Line in the file, from 1; 0: unknown.
    std::size_t line = 0;
    base::Error error;
};

/// The main graphs of all compiles of a file, those of Dynamo included, that cannot be read, in its order.
/// Reads them all. Errors: session.canceled.
[[nodiscard]] base::Result<std::vector<UnreadableGraph>> findUnreadableGraphs(const LogSnapshot& log,
                                                                              base::Progress progress);

} // namespace aotscope::session
