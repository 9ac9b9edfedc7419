#pragma once

#include "ir/graph.h"

#include <vector>

namespace aotscope::ir::detail {

/// Derives descriptors for inputs or outputs that have none (torch before 2.9 does not log any), from the
/// names of the inputs and the positions of the outputs, and marks them as derived. Descriptors derived
/// earlier are replaced. Every graph is built with this, so that no other code depends on names.
///
/// Inputs: `primals_N`, `tangents_N`, `tangents_token` and the seeds and offsets as AOTAutograd names them
/// (torch 2.11, torch/_functorch/_aot_autograd/utils.py: _is_primal, _is_tangent, _is_fwd_seed_offset,
/// _is_bwd_seed_offset), and `argN_1` of inference graphs. Outputs, only if there is a tangent: first those
/// of the forward, then one gradient, or None, for each primal. Input mutations and tensor subclasses cannot
/// be recognized; they are derived as plain inputs and outputs.
///
/// `nodes` are those of `graph`, whose inputs must already be computed.
void deriveDescriptors(const Graph& graph, std::vector<Node>& nodes);

} // namespace aotscope::ir::detail
