#include "runs/recorded_run.h"

#include <string>
#include <vector>

namespace aotscope::session {

base::Result<RunOptions> optionsFor(const ir::Graph& graph, const judge::RecordedCall& call) {
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    if (placeholders.size() != call.inputs.size()) {
        return base::Error{.code = "session.not_recorded",
                           .message = "The call was recorded with " + std::to_string(call.inputs.size()) +
                                      " inputs, but the graph has " + std::to_string(placeholders.size()) +
                                      "."};
    }
    RunOptions options;
    // Gives random operators the same numbers as in the recorded call.
    options.seed = call.seed.value_or(options.seed);
    options.keepOutputs = true;
    options.statistics = false;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const std::string& name = graph.node(placeholders[i]).name;
        if (!call.inputs[i]) {
            return base::Error{.code = "session.not_recorded",
                               .message = "The input " + name + " was not stored."};
        }
        options.inputs.emplace(name, *call.inputs[i]);
    }
    return options;
}

} // namespace aotscope::session
