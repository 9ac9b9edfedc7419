#pragma once

#include "aot/retrace.h"

#include <vector>

namespace aotscope::evidence {

/// What held when a function was compiled and is not written in its graph.
struct GlobalState {
    bool gradEnabled = true;
    /// Where it was on.
    std::vector<aot::AmbientAutocast> autocasts;
};

} // namespace aotscope::evidence
