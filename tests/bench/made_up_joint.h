#pragma once

#include "ir/graph_builder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Generated joint graphs of any size, to measure growth.
namespace aotscope::test {

inline ir::Node tensorNode(std::string name, std::string target, ir::Arguments arguments, ir::SymInts shape) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(arguments);
    ir::TensorMeta tensor;
    tensor.dtype = ir::DType::Float32;
    tensor.shape = std::move(shape);
    tensor.stride = ir::SymInts{tensor.shape[1], ir::SymInt(1)};
    node.value = std::move(tensor);
    return node;
}

/// Layers of x = x + relu(x @ w) and their backward: per layer seven forward and nine backward nodes.
inline ir::GraphPtr madeUpJoint(std::size_t nodes) {
    const std::size_t layers = std::max<std::size_t>(nodes / 11, 1);
    ir::GraphBuilder graph;
    std::size_t made = 0;
    const auto call = [&](const char* target, ir::Arguments arguments) {
        return graph.append(tensorNode("n" + std::to_string(made++), target, std::move(arguments), {64, 64}));
    };
    const auto input = [&](const std::string& name) {
        ir::Node node = tensorNode(name, name, {}, {64, 64});
        node.op = ir::Opcode::Placeholder;
        return graph.append(std::move(node));
    };
    std::vector<ir::NodeId> weights;
    for (std::size_t i = 0; i <= layers; ++i) {
        weights.push_back(input("primals_" + std::to_string(i + 1)));
    }
    const ir::NodeId tangent = input("tangents_1");
    std::vector<ir::NodeId> inputs{weights.back()};
    std::vector<ir::NodeId> activated;
    for (std::size_t i = 0; i < layers; ++i) {
        const ir::NodeId product = call("aten.mm.default", {inputs.back(), weights[i]});
        activated.push_back(call("aten.relu.default", {product}));
        inputs.push_back(call("aten.add.Tensor", {inputs.back(), activated.back()}));
    }
    ir::ListArgument returned{{ir::Argument(inputs.back())}};
    std::vector<ir::Argument> gradients(layers + 1);
    ir::NodeId gradient = tangent;
    for (std::size_t i = layers; i-- > 0;) {
        const ir::NodeId masked =
            call("aten.threshold_backward.default", {gradient, activated[i], std::int64_t{0}});
        const ir::NodeId transposed = call("aten.t.default", {inputs[i]});
        gradients[i] = call("aten.mm.default", {transposed, masked});
        const ir::NodeId weight = call("aten.t.default", {weights[i]});
        gradient = call("aten.add.Tensor", {gradient, call("aten.mm.default", {masked, weight})});
    }
    gradients[layers] = gradient;
    returned.items.insert(returned.items.end(), gradients.begin(), gradients.end());
    ir::Node output;
    output.name = "output";
    output.target = "output";
    output.op = ir::Opcode::Output;
    output.args.emplace_back(std::move(returned));
    graph.append(std::move(output));
    return graph.finish();
}

} // namespace aotscope::test
