#pragma once

#include "ir/graph.h"

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace aotscope::passes {

/// Positions, among the forward's inputs without tokens, of parameters and buffers, whose memory lives as
/// long as the model. They are recognized by Dynamo's sources (`….parameters['weight']`) or the inputs'
/// descriptors. `sources` has one entry per placeholder of the joint graph, "" where unknown; if empty, the
/// sources recorded in the placeholders are used. `parameters`: further sources that are known to be
/// parameters. Follows torch 2.11, torch/_functorch/_aot_autograd/frontend_utils.py:
/// _try_get_metadata_from_dynamo (static_input_indices).
[[nodiscard]] std::vector<std::size_t>
staticInputsOf(const ir::Graph& joint, std::span<const std::string> sources = {},
               const std::set<std::string, std::less<>>& parameters = {});

} // namespace aotscope::passes
