#pragma once

#include "ir/graph.h"
#include "ir/module_source.h"
#include "ir/phase.h"

#include <vector>

namespace aotscope::ir::detail {

/// Operators that only change a value's shape or layout; next to a module's operators they belong to it, too.
[[nodiscard]] bool onlyReshapes(const Node& node);

/// Gives the backward nodes of a joint graph the paths of the modules whose parameters or activations they
/// are gradients of. In this order: by the sequence number that autograd gave the forward node; by the
/// returned gradient that they lead to (its descriptor names the parameter); by the parameter that they use;
/// by the forward operator whose operands they use, within the source line that they carry; by that line, if
/// all its forward nodes are of one module. What none of these decides belongs to the innermost module that
/// contains what is before and after it, so the answer may be too wide, but is no module beside the right
/// one. `paths` holds those of the forward nodes and of parameters.
void deriveBackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths);

} // namespace aotscope::ir::detail
