#pragma once

#include "fake/shape_environment.h"
#include "trace/dynamo_program.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The inputs to trace a program with, as fake tensors and symbols of `environment`: the attributes that the
/// program reads, then its own inputs. Throws RunFailure (trace.input, trace.subclass). Follows torch 2.11,
/// torch/_functorch/_aot_autograd/frontend_utils.py: process_inputs.
[[nodiscard]] std::vector<TracedInput> makeInputs(const aot::RetraceRequest& request,
                                                  const DynamoProgram& program, ShapeEnvironment& environment,
                                                  const SymbolChoice& choice);

/// An attribute as the request describes it, else as its node does; without either it is a parameter.
[[nodiscard]] aot::RetraceAttribute attributeOf(const aot::RetraceRequest& request, const ir::Node& node);

/// The positions of static inputs, whose address does not change: all attributes, which come first, and the
/// program's own inputs marked static.
[[nodiscard]] std::vector<std::size_t> staticInputs(const aot::RetraceRequest& request,
                                                    std::size_t attributes);

/// aot::RetraceRequest::symbolGuards with Dynamo's replacements of equal symbols applied.
[[nodiscard]] std::vector<ir::SymExpr> knownGuards(const aot::RetraceRequest& request);

/// Values of the inputs' symbols if the log shows none and the sizes that are taken instead contradict an
/// equality that the compile was guarded with: values for which those hold. Empty otherwise.
[[nodiscard]] ir::SymbolBindings unloggedHints(const aot::RetraceRequest& request);

} // namespace aotscope::torch
