#pragma once

#include "ir/graph_builder.h"
#include "ir/module_path.h"

#include <string>
#include <vector>

/// Graphs made by hand, for tests of the layout.
namespace aotscope::layout::test {

inline ir::TensorMeta tensor(std::vector<std::int64_t> sizes) {
    ir::TensorMeta meta;
    meta.dtype = ir::DType::Float32;
    for (const std::int64_t size : sizes) {
        meta.shape.emplace_back(size);
    }
    return meta;
}

class GraphBuilder {
public:
    ir::NodeId input(std::string name) {
        ir::Node node;
        node.name = std::move(name);
        node.op = ir::Opcode::Placeholder;
        node.target = node.name;
        node.value = tensor({8, 64});
        if (node.name.starts_with("tangents")) {
            node.descriptors = {{ir::TangentAOTInput{ir::AOTOutput(ir::PlainAOTOutput{0})}}};
        }
        return add(std::move(node));
    }

    ir::NodeId call(std::string name, const std::vector<ir::NodeId>& inputs, const std::string& module = {}) {
        ir::Node node;
        node.name = std::move(name);
        node.target = "aten.relu.default";
        node.value = tensor({8, 64});
        for (const ir::NodeId id : inputs) {
            node.args.emplace_back(id);
        }
        return add(std::move(node), module);
    }

    ir::NodeId output(const std::vector<ir::NodeId>& results) {
        ir::Node node;
        node.name = "output";
        node.op = ir::Opcode::Output;
        node.target = "output";
        ir::TupleArgument tuple;
        for (const ir::NodeId id : results) {
            tuple.items.emplace_back(id);
        }
        node.args.emplace_back(std::move(tuple));
        return add(std::move(node));
    }

    ir::NodeId add(ir::Node node, const std::string& module = {}) {
        node.modulePath = module;
        const ir::NodeId id = m_graph.append(std::move(node));
        m_modules.ofNode.resize(m_graph.idBound());
        m_modules.ofNode[id.index()] = {module, module.empty()};
        return id;
    }

    ir::GraphBuilder& graph() { return m_graph; }
    [[nodiscard]] const ir::ModulePaths& modules() const { return m_modules; }
    ir::GraphPtr freeze() { return m_graph.finish(); }

private:
    ir::GraphBuilder m_graph;
    ir::ModulePaths m_modules;
};

/// A chain x → f0 → f1 → … and back …→ b1 → b0, where each b uses the f of its number. `perModule` nodes of
/// each half share a module "blocks.N"; 0: no modules.
struct Chain {
    ir::GraphPtr graph;
    ir::ModulePaths modules;
    std::vector<ir::NodeId> forward;
    std::vector<ir::NodeId> backward;
};

inline Chain jointChain(std::size_t length, std::size_t perModule = 0) {
    GraphBuilder builder;
    Chain chain;
    const auto module = [&](std::size_t i) {
        return perModule == 0 ? std::string() : "blocks." + std::to_string(i / perModule);
    };
    ir::NodeId at = builder.input("primals_1");
    ir::NodeId gradient = builder.input("tangents_1");
    for (std::size_t i = 0; i < length; ++i) {
        at = builder.call("f" + std::to_string(i), {at}, module(i));
        chain.forward.push_back(at);
    }
    chain.backward.resize(length);
    for (std::size_t i = length; i-- > 0;) {
        gradient = builder.call("b" + std::to_string(i), {gradient, chain.forward[i]}, module(i));
        chain.backward[i] = gradient;
    }
    builder.output({at, gradient});
    chain.modules = builder.modules();
    chain.graph = builder.freeze();
    return chain;
}

} // namespace aotscope::layout::test
