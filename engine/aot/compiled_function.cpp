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
    const auto output = function.joint && function.graph ? function.graph->output() : std::nullopt;
    if (!output || function.graph->node(*output).args.empty()) {
        return {};
    }
    const ir::Argument& returned = function.graph->node(*output).args.front();
    const auto* list = returned.as<ir::ListArgument>();
    const auto* tuple = returned.as<ir::TupleArgument>();
    if (list == nullptr && tuple == nullptr) {
        return {};
    }
    const ir::Arguments& items = list != nullptr ? list->items : tuple->items;
    // The backward returns one value per input, followed by its tokens.
    const std::size_t inputs = function.metadata.inputInfo.size();
    const std::size_t behind = countOutputs<ir::BackwardTokenAOTOutput>(*function.graph);
    if (items.size() < inputs + behind) {
        return {};
    }
    std::vector<ir::NodeId> gradients;
    for (std::size_t i = items.size() - behind - inputs; i < items.size() - behind; ++i) {
        const auto* node = items[i].as<ir::NodeId>();
        gradients.push_back(node == nullptr ? ir::NodeId() : *node);
    }
    return gradients;
}

} // namespace aotscope::aot
