#pragma once

#include "api/handles.h"

#include "aot/retrace.h"

#include <span>
#include <string>
#include <vector>

namespace aotscope::torch::api {

/// What the engine's trace needs to know of a module and real arguments: their metadata, which memory they
/// share, their place in autograd's graph. A placeholder's sizes are those of its argument, except where the
/// graph names them by a symbol: then the argument gives the symbol's example value.
///
/// Throws RunFailure (aot.arguments) when arguments and placeholders, or attributes and get_attr nodes, do
/// not fit together.
[[nodiscard]] aot::RetraceRequest requestOf(const Module& module, std::span<const Value> arguments);

/// The tensors that the program of a request reads as attributes of `module`, in the order in which they
/// become inputs. `names` gets their names.
[[nodiscard]] Values attributesOf(const Module& module, const aot::RetraceRequest& request,
                                  std::vector<std::string>& names);

/// Refuses a graph with an attribute that the module has no tensor for (aot.arguments).
void checkAttributes(const Module& module);

[[nodiscard]] aot::DecompositionTable tableOf(Decompositions decompositions);

/// AOTAutograd's trace; one at a time in a process. Throws RunFailure with the trace's error.
[[nodiscard]] aot::RetraceResult traced(const aot::RetraceRequest& request);

} // namespace aotscope::torch::api
