#include "aot/hook_programs.h"

#include "ir/argument.h"
#include "ir/graph_builder.h"
#include "ir/map_nodes.h"
#include "ir/notes.h"

#include <string>
#include <utility>
#include <vector>

namespace aotscope::aot {
namespace {

/// What a graph returns.
ir::Argument returnedBy(const ir::Graph& graph) {
    const auto output = graph.output();
    return output && !graph.node(*output).args.empty() ? graph.node(*output).args[0] : ir::Argument();
}

ir::NodeId appendInput(ir::GraphBuilder& graph, std::string name, ir::ValueMeta value) {
    ir::Node input;
    input.op = ir::Opcode::Placeholder;
    input.name = std::move(name);
    input.target = input.name;
    input.value = std::move(value);
    return graph.append(std::move(input));
}

/// PyTorch prints the graphs that it makes of hooks under the name of a function it wraps them into.
void setStyle(ir::GraphBuilder& graph, bool complexCalls) {
    ir::TextStyle& style = graph.editStyle();
    style.className = "<lambda>";
    style.expandedDefinition = true;
    if (complexCalls) {
        style.notes.emplace(ir::notes::complexCalls, "1");
    }
}

} // namespace

ir::GraphPtr packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor) {
    ir::GraphBuilder program(hook);
    for (const ir::NodeId input : hook.placeholders()) {
        program.editMeta(input).value = tensor;
    }
    return program.finish();
}

ir::GraphPtr unpackProgram(ir::GraphPtr hook, const ir::Graph& packed) {
    ir::GraphBuilder program;
    program.editSymbolHints() = packed.symbolHints();
    ir::Node call;
    call.op = ir::Opcode::CallModule;
    call.name = "unpack";
    call.target = "unpack_hook";
    const ir::Argument tree = ir::mapNodes(returnedBy(packed), [&](ir::NodeId id) -> ir::Argument {
        return appendInput(program, "packed_" + std::to_string(program.size()), packed.node(id).value);
    });
    // The inputs of a graph that takes its argument apart itself are the leaves.
    call.args = hook->style().pytree ? ir::treeLeaves(tree) : ir::Arguments{tree};
    const ir::NodeId unpacked = program.append(std::move(call));
    ir::Node output;
    output.op = ir::Opcode::Output;
    output.name = "output";
    output.target = "output";
    output.args = {unpacked};
    program.append(std::move(output));
    program.addSubgraph("unpack_hook", std::move(hook));
    return program.finish();
}

ir::GraphPtr packGraph(const ir::Graph& traced, bool complexCalls) {
    ir::GraphBuilder graph(traced);
    for (const ir::NodeId input : traced.placeholders()) {
        graph.editMeta(input).descriptors.clear();
    }
    setStyle(graph, complexCalls);
    return graph.finish();
}

ir::GraphPtr unpackGraph(const ir::Graph& traced, const ir::Graph& packed, bool complexCalls) {
    ir::GraphBuilder graph;
    graph.editSymbolHints() = traced.symbolHints();
    setStyle(graph, complexCalls);
    const ir::Argument tree = returnedBy(packed);
    const bool isTree = ir::isContainer(tree);
    std::vector<ir::Argument> values(traced.idBound());
    const std::vector<ir::NodeId> taken = traced.placeholders();
    std::size_t next = 0;
    for (const ir::Argument& leaf : ir::treeLeaves(tree)) {
        const auto* node = leaf.as<ir::NodeId>();
        const ir::NodeId input = appendInput(graph, "arg0_" + std::to_string(graph.size() + 1),
                                             node == nullptr ? ir::ValueMeta() : packed.node(*node).value);
        if (node != nullptr && next < taken.size()) {
            values[taken[next++].index()] = input;
        }
    }
    for (const ir::NodeId id : traced.order()) {
        ir::Node node = traced.node(id);
        if (node.op == ir::Opcode::Placeholder) {
            continue;
        }
        ir::mapArguments(node, [&](ir::NodeId input) { return values[input.index()]; });
        if (node.op == ir::Opcode::Output && isTree && !node.args.empty()) {
            node.args = {ir::ListArgument{ir::treeLeaves(node.args[0])}};
        }
        values[id.index()] = graph.append(std::move(node));
    }
    for (const auto& [name, subgraph] : traced.subgraphs()) {
        graph.addSubgraph(name, subgraph);
    }
    for (const auto& [name, value] : traced.constants()) {
        graph.addConstant(name, value);
    }
    if (isTree) {
        graph.editStyle().pytree = true;
        graph.editStyle().pytreeInputs = {"arg0"};
        graph.editStyle().notes.emplace(ir::notes::unflattened, "1");
    }
    return graph.finish();
}

} // namespace aotscope::aot
