#include "aot/compiled_function.h"

#include "passes/partition.h"

namespace aotscope::aot {

ir::GraphPtr CompiledFunction::forward() const {
    if (partition) {
        return partition->forward;
    }
    return path == TracePath::Inference ? graph : nullptr;
}

ir::GraphPtr CompiledFunction::backward() const {
    return partition ? partition->backward : nullptr;
}

std::vector<ir::NodeId> gradientsOf(const CompiledFunction& function) {
    if (!function.joint || !function.graph) {
        return {};
    }
    const std::vector<ir::NodeId> returned = ir::returnedNodes(*function.graph);
    // The backward returns one value per input, followed by its tokens.
    const std::size_t inputs = function.metadata.inputInfo.size();
    const std::size_t behind = countOutputs<ir::BackwardTokenAOTOutput>(*function.graph);
    if (returned.size() < inputs + behind) {
        return {};
    }
    const auto end = returned.end() - static_cast<std::ptrdiff_t>(behind);
    return {end - static_cast<std::ptrdiff_t>(inputs), end};
}

} // namespace aotscope::aot
