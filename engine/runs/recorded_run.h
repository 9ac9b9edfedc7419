#pragma once

#include "contract/run_options.h"
#include "judge/recorded_calls.h"

#include "base/result.h"
#include "ir/graph.h"

namespace aotscope::session {

/// Options that run a graph on a call's inputs. Errors: session.not_recorded (another number of inputs, or
/// names the one that was not stored).
[[nodiscard]] base::Result<RunOptions> optionsFor(const ir::Graph& graph, const judge::RecordedCall& call);

} // namespace aotscope::session
