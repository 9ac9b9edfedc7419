#pragma once

#include "contract/retrace_snapshot.h"

#include <stop_token>
#include <string>
#include <vector>

namespace aotscope::session {

/// Compares `made` with `logged` and sets verdict, difference and count. With `exact`, source comments,
/// descriptors and the printed text (without trailing spaces) must be equal too.
void compareRetraced(RetraceSnapshot& snapshot, bool exact);

/// Fills RetraceSnapshot::stages: the traced stages, which get names, then those after the trace (the forward
/// as the partition leaves it, and with hooks inlined). Each stage tells what it changed in the one before
/// it. `log` is the compile's; without one there are no stages after the trace. `inputSources` are Dynamo's
/// sources of the traced function's inputs.
void describeStages(RetraceSnapshot& snapshot, const LogSnapshotPtr& log,
                    const std::vector<std::string>& inputSources, const std::stop_token& stop);

} // namespace aotscope::session
