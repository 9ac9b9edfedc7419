#pragma once

#include "aot/retrace.h"

#include <vector>

namespace aotscope::evidence {

/// Global state during a compile that is not part of its graph.
struct GlobalState {
    bool gradEnabled = true;
    /// Only the enabled ones.
    std::vector<aot::AmbientAutocast> autocasts;
};

} // namespace aotscope::evidence
