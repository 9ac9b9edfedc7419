#pragma once

#include "contract/retrace_snapshot.h"

#include "aot/retrace.h"
#include "ir/graph.h"

#include <vector>

namespace aotscope::session {

/// Groups of a program's inputs that alias each other according to the log, ordered by their first input.
/// `traced` is the graph traced from the program.
[[nodiscard]] std::vector<SharedMemory>
sharedInputs(const ir::Graph& program, const std::vector<aot::RetraceInput>& inputs, const ir::Graph& traced);

} // namespace aotscope::session
