#pragma once

#include "timeline/node_match.h"

namespace aotscope::timeline {

/// Adds the nodes of fused kernels: those that `kernelNodes` names, and for other kernels those whose
/// operators their names list, where that leaves no choice: the graph has the operator once, or as often as
/// there are kernels that list it, which then follow in the order of their numbers.
void matchByKernelNames(const Timeline& timeline, const KernelNodes& kernelNodes, NodeMatches& matches);

} // namespace aotscope::timeline
