#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include <vector>

namespace aotscope::session {

/// The graphs that a backend was given to compile after a joint graph was split, in file order and before the
/// next joint graph of the compile: Inductor's before_post_grad_graph, one for each half. Their inputs have
/// the strides that they are really called with.
[[nodiscard]] std::vector<ArtifactReference> compiledGraphs(const LogSnapshot& log,
                                                            const ArtifactReference& joint);

} // namespace aotscope::session
