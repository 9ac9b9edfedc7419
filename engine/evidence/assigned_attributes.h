#pragma once

#include "evidence/log_evidence.h"

#include "aot/retrace.h"

#include <string_view>
#include <vector>

namespace aotscope::evidence {

/// Attributes of modules that a function assigns tensors to, from what Dynamo logs of its side effects
/// (`dynamo_side_effects`) and the graph's outputs: Dynamo lets the graph return the tensor and assigns it
/// itself. A value that the graph does not return, a number say, is none.
[[nodiscard]] std::vector<aot::AssignedAttribute> assignedAttributes(std::string_view sideEffects,
                                                                     const ir::Graph& program);

/// The same of the Dynamo graph `program` of a log.
[[nodiscard]] std::vector<aot::AssignedAttribute> assignedAttributes(const LogEvidence& evidence,
                                                                     const ir::Graph& program);

} // namespace aotscope::evidence
