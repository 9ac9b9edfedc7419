#pragma once

#include "ir/graph.h"

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::passes {

/// A number in a node's printed annotation: 2 for "call_id" in "{'call_id': 2}" (node.meta["custom"]).
[[nodiscard]] std::optional<double> annotatedNumber(const ir::Node& node, std::string_view key);

/// The memory budget that the program gives for the forward (region_activation_memory_budget), also in the
/// bodies of subgraphs. Follows torch 2.15, torch/fx/traceback.py: _get_memory_budget_annotation, and
/// torch/_functorch/partitioners.py: min_cut_rematerialization_partition. Errors: passes.memory_budget
/// (several different ones).
[[nodiscard]] base::Result<std::optional<double>> annotatedBudget(const ir::Graph& joint);

/// The operators that the program's budget does not hold for, by name: those of `forward`, and all in the
/// bodies of subgraphs.
[[nodiscard]] std::vector<std::string> operatorsWithoutBudget(const ir::Graph& joint,
                                                              const std::vector<ir::NodeId>& forward);

} // namespace aotscope::passes
