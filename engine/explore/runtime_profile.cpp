#include "explore/runtime_profile.h"

namespace aotscope::session {

RuntimeProfilePtr runtimeProfile(const RunSnapshot& run) {
    constexpr double nanosecondsEach = 1e6;
    auto profile = std::make_shared<passes::NodeRuntimes>();
    for (const NodeRun& node : run.nodes) {
        profile->emplace(run.graph->graph->node(node.node).name,
                         static_cast<double>(node.nanoseconds) / nanosecondsEach);
    }
    return profile;
}

} // namespace aotscope::session
