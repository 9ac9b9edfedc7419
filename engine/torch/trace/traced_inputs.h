#pragma once

#include "fake/shape_environment.h"
#include "trace/dynamo_program.h"
#include "trace/traced_program.h"

#include "session/retrace.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The inputs to trace a program with, as fake tensors and symbols of `environment`: the attributes it reads,
/// then its own. Throws RunFailure (trace.input, trace.subclass) for what cannot be made.
[[nodiscard]] std::vector<TracedInput> makeInputs(const session::RetraceRequest& request,
                                                  const DynamoProgram& program, ShapeEnvironment& environment,
                                                  const SymbolChoice& choice);

/// What the request says of an attribute, else what its node tells; of one that nothing is known of, that it
/// is a parameter.
[[nodiscard]] session::RetraceAttribute attributeOf(const session::RetraceRequest& request,
                                                    const ir::Node& node);

/// Positions of the inputs whose address does not change: what the module holds, which comes first, and
/// those of the program's own that are so.
[[nodiscard]] std::vector<std::size_t> staticInputs(const session::RetraceRequest& request,
                                                    std::size_t attributes);

/// RetraceRequest::symbolGuards by the names that symbols have after Dynamo found some equal to others.
[[nodiscard]] std::vector<std::string> knownGuards(const session::RetraceRequest& request);

} // namespace aotscope::torch
