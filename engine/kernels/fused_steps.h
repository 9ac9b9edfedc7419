#pragma once

#include "kernels/fusion_plan.h"
#include "kernels/graph_facts.h"
#include "kernels/node_roles.h"

#include <vector>

namespace aotscope::kernels {

/// The order in which the graph runs with the kernels of the plan's groups.
[[nodiscard]] std::vector<FusedStep>
fusedSteps(const GraphFacts& facts, const std::vector<NodeTraits>& traits, const FusionPlan& plan);

} // namespace aotscope::kernels
