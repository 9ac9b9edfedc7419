#pragma once

#include "fake/shape_environment.h"
#include "trace/dynamo_program.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The inputs to trace a program with, as fake tensors and symbols of `environment`: the attributes it reads,
/// then its own. Throws RunFailure (trace.input, trace.subclass) for what cannot be made.
[[nodiscard]] std::vector<TracedInput> makeInputs(const aot::RetraceRequest& request,
                                                  const DynamoProgram& program, ShapeEnvironment& environment,
                                                  const SymbolChoice& choice);

/// What the request says of an attribute, else what its node tells; of one that nothing is known of, that it
/// is a parameter.
[[nodiscard]] aot::RetraceAttribute attributeOf(const aot::RetraceRequest& request, const ir::Node& node);

/// Positions of the inputs whose address does not change: what the module holds, which comes first, and
/// those of the program's own that are so.
[[nodiscard]] std::vector<std::size_t> staticInputs(const aot::RetraceRequest& request,
                                                    std::size_t attributes);

/// aot::RetraceRequest::symbolGuards by the names that symbols have after Dynamo found some equal to others.
[[nodiscard]] std::vector<std::string> knownGuards(const aot::RetraceRequest& request);

} // namespace aotscope::torch
