#pragma once

#include "ir/dtype.h"
#include "load/trace_log.h"

#include <string>
#include <vector>

namespace aotscope::session {

/// `torch.autocast` around the call that was compiled.
struct AmbientAutocast {
    /// "cpu", "cuda", …
    std::string device;
    ir::DType dtype = ir::DType::BFloat16;
    friend bool operator==(const AmbientAutocast&, const AmbientAutocast&) = default;
};

/// What held when a function was compiled and is not written in its graph.
struct GlobalState {
    bool gradEnabled = true;
    /// Where it was on.
    std::vector<AmbientAutocast> autocasts;
};

/// As the guard on the global state (`___check_global_state`) has it; PyTorch's defaults where there is none.
[[nodiscard]] GlobalState loggedGlobalState(const load::TraceLog& log, load::CompileIndex compile,
                                            load::RecordId graph);

} // namespace aotscope::session
