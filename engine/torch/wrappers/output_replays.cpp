#include "wrappers/output_replays.h"

#include "aot/versions/versions.h"

namespace aotscope::torch {

OutputReplays outputReplays(const aot::CompiledFunction& function, const aot::RuntimeWrapper& wrapper) {
    OutputReplays replays(wrapper.outputs.size());
    const ir::GraphPtr graph = function.forward();
    const std::vector<ir::NodeId> returned = graph ? ir::returnedNodes(*graph) : std::vector<ir::NodeId>();
    const aot::TraceRules rules = aot::torchRules(function.configuration.torch).trace;
    const std::size_t first =
        graph ? aot::countInputs<ir::ForwardTokenAOTInput>(*graph) + wrapper.mutations.size() : 0;
    for (std::size_t i = 0; i < wrapper.outputs.size(); ++i) {
        replays[i].offsetIsRelative = rules.aliasOffsetsAreRelative;
        const auto& outputs = function.metadata.outputInfo;
        if (i < outputs.size() && outputs[i].views) {
            replays[i].replay = ViewReplay::of(*outputs[i].views);
        }
        if (first + i < returned.size() && returned[first + i].valid()) {
            replays[i].isView = viewedBase(*graph, returned[first + i]) != returned[first + i];
        }
    }
    return replays;
}

} // namespace aotscope::torch
