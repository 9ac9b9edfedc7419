#pragma once

#include "aot/retrace.h"
#include "load/trace_log.h"

#include <string>
#include <vector>

namespace aotscope::evidence {

/// What held when a function was compiled and is not written in its graph.
struct GlobalState {
    bool gradEnabled = true;
    /// Where it was on.
    std::vector<aot::AmbientAutocast> autocasts;
};

/// As the guard on the global state (`___check_global_state`) has it; PyTorch's defaults where there is none.
[[nodiscard]] GlobalState loggedGlobalState(const load::TraceLog& log, load::CompileIndex compile,
                                            load::RecordId graph);

} // namespace aotscope::evidence
