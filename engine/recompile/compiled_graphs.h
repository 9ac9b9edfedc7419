#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include <vector>

namespace aotscope::session {

/// The partitioned graphs as the backend compiles them, with the strides of their real inputs, in file order
/// and before the compile's next joint graph. Follows torch 2.11, torch/_inductor/compile_fx.py: the artifact
/// before_post_grad_graph, one per half.
[[nodiscard]] std::vector<ArtifactReference> compiledGraphs(const LogSnapshot& log,
                                                            const ArtifactReference& joint);

} // namespace aotscope::session
