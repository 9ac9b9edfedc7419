#pragma once

#include "ir/graph.h"

namespace aotscope::ir::detail {

/// Gives a graph whose inputs, or outputs, have no descriptors, as torch before 2.9 logs them, those that the
/// names of its inputs and the places of its outputs tell, marked as derived; derived ones that it had are
/// dropped. `Graph::freeze` does this to every graph, so that nobody else has to look at names.
///
/// Inputs: `primals_N`, `tangents_N`, `tangents_token` and the seeds and offsets as AOTAutograd names them
/// (torch/_functorch/_aot_autograd/utils.py: _is_tangent and its like), `argN_1` of inference graphs.
/// Outputs, only where there is a tangent: first the forward's, then one gradient, or None, for each primal.
/// Which value an `InputMutationAOTOutput` or a subclass stands for, nothing tells: these are derived as
/// plain ones.
///
/// The graph's inputs by node (`Graph::inputs`) must be there.
void deriveDescriptors(Graph& graph);

} // namespace aotscope::ir::detail
