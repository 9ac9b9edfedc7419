#include "passes/backward_inputs.h"

#include "base/mapped.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

std::optional<ir::SymInts> strideOf(const ir::Node& node) {
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    return tensor == nullptr ? std::nullopt : tensor->stride;
}

std::vector<std::string> inputNames(const ir::Graph& graph) {
    return base::mapped(graph.placeholders(), [&](const ir::NodeId id) { return graph.node(id).name; });
}

} // namespace

std::vector<BackwardInput> backwardInputs(const Partition& partition, const ir::Graph* compiled) {
    const std::vector<std::size_t> donated = donatedBuffers(partition);
    const std::size_t symbols = partition.savedSymbols.size();
    const std::size_t saved = symbols + partition.savedTensors.size();
    std::vector<BackwardInput> inputs;
    for (const ir::NodeId id : partition.backward->placeholders()) {
        const ir::Node& node = partition.backward->node(id);
        const std::size_t place = inputs.size();
        BackwardInput input;
        input.name = node.name;
        input.kind = place < symbols ? BackwardInput::Kind::SavedSymbol
                     : place < saved ? BackwardInput::Kind::SavedTensor
                                     : BackwardInput::Kind::Tangent;
        input.donated = std::ranges::find(donated, place) != donated.end();
        input.stride = strideOf(node);
        const auto seen = compiled == nullptr ? std::nullopt : compiled->tryFind(node.name);
        if (seen && input.kind == BackwardInput::Kind::SavedTensor) {
            const std::optional<ir::SymInts> stride = strideOf(compiled->node(*seen));
            input.restrided = stride && stride != input.stride ? stride : std::nullopt;
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

bool takesSameInputs(const ir::Graph& left, const ir::Graph& right) {
    return inputNames(left) == inputNames(right);
}

} // namespace aotscope::passes
