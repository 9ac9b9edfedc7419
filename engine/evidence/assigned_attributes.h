#pragma once

#include "evidence/log_evidence.h"

#include "aot/retrace.h"

#include <string_view>
#include <vector>

namespace aotscope::evidence {

/// Module attributes to which a function assigns tensors. Dynamo lets the graph return such a tensor, makes
/// the assignment itself, and logs it (`dynamo_side_effects`; torch 2.11, torch/_dynamo/side_effects.py).
/// Assigned values that the graph does not return, for example numbers, are left out.
[[nodiscard]] std::vector<aot::AssignedAttribute> assignedAttributes(std::string_view sideEffects,
                                                                     const ir::Graph& program);

/// The same for the Dynamo graph `program` of a log.
[[nodiscard]] std::vector<aot::AssignedAttribute> assignedAttributes(const LogEvidence& evidence,
                                                                     const ir::Graph& program);

} // namespace aotscope::evidence
