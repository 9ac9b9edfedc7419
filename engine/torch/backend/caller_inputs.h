#pragma once

#include "trace/dynamo_program.h"
#include "wrappers/caller_arguments.h"

#include "aot/retrace.h"

#include <vector>

namespace aotscope::torch {

/// What is known of each argument of a traced function: its attributes in the order of `program`, then the
/// program's own inputs.
[[nodiscard]] std::vector<CallerInput> callerInputs(const aot::RetraceRequest& request,
                                                    const DynamoProgram& program);

} // namespace aotscope::torch
