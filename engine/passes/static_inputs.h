#pragma once

#include "ir/graph.h"

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace aotscope::passes {

/// Positions among the forward's inputs of those whose memory lives as long as the model: parameters and
/// buffers, as Dynamo's sources (`….parameters['weight']`) or the inputs' descriptors tell. `sources` has one
/// entry per placeholder of the joint graph, "" where unknown; or none at all, then the placeholders' own are
/// taken. `parameters` are sources that are known to be parameters wherever they lie. This is what
/// AOTAutograd calls static_input_indices.
[[nodiscard]] std::vector<std::size_t>
staticInputsOf(const ir::Graph& joint, std::span<const std::string> sources = {},
               const std::set<std::string, std::less<>>& parameters = {});

} // namespace aotscope::passes
