#include "passes/assemble.h"

#include "ir/notes.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

/// A node with the name and metadata of another: everything but its call.
ir::Node withMetadata(const ir::Node& node, RecomputeTag recompute) {
    ir::Node copy{node, node.name, {}, {}, {}, {}};
    // PyTorch prints the tags that the partitioner itself sets.
    if (recompute == RecomputeTag::MustSave && (!copy.origin || copy.origin->recompute != "MUST_SAVE")) {
        ir::NodeOrigin marked = copy.origin ? *copy.origin : ir::NodeOrigin();
        marked.recompute = "MUST_SAVE";
        copy.origin = std::make_shared<const ir::NodeOrigin>(std::move(marked));
    }
    return copy;
}

class Assembly {
public:
    Assembly(const JointProgram& program, const ExtractedGraph& extracted)
        : m_program(program), m_extracted(extracted), m_made(program.size()) {}

    ir::GraphBuilder assemble(std::span<const std::uint32_t> order) {
        m_graph.reserve(order.size());
        m_graph.editStyle().expandedDefinition = m_program.graph().style().expandedDefinition;
        if (m_program.graph().style().notes.contains(ir::notes::complexCalls)) {
            m_graph.editStyle().notes.emplace(ir::notes::complexCalls, "1");
        }
        m_graph.editSymbolHints() = m_program.graph().symbolHints();
        const std::size_t inputs = m_extracted.inputs.size();
        for (const std::uint32_t position : order) {
            if (position < inputs) {
                addInput(m_extracted.inputs[position]);
            } else if (position < inputs + m_extracted.nodes.size()) {
                addNode(m_extracted.nodes[position - inputs]);
            } else {
                addOutput();
            }
        }
        return std::move(m_graph);
    }

private:
    void addInput(Index i) {
        ir::Node node = withMetadata(m_program.node(i), m_program[i].recompute);
        node.op = ir::Opcode::Placeholder;
        node.target = node.name;
        m_made[i] = m_graph.append(std::move(node));
    }

    void addNode(Index i) {
        const ir::Node& original = m_program.node(i);
        const auto mapped = [this](ir::NodeId id) { return m_made[m_program.indexOf(id)]; };
        ir::Node node = withMetadata(original, m_program[i].recompute);
        node.op = original.op;
        node.target = original.target;
        node.args.reserve(original.args.size());
        for (const ir::Argument& argument : original.args) {
            node.args.push_back(mapNodes(argument, mapped));
        }
        node.kwargs.reserve(original.kwargs.size());
        for (const ir::KeywordArgument& keyword : original.kwargs) {
            node.kwargs.push_back({keyword.name, mapNodes(keyword.value, mapped)});
        }
        m_made[i] = m_graph.append(std::move(node));
        if (original.op == ir::Opcode::GetAttr) {
            addAttribute(original.target);
        }
    }

    void addAttribute(const std::string& name) {
        const ir::Graph& joint = m_program.graph();
        if (const ir::GraphPtr subgraph = joint.trySubgraph(name);
            subgraph && !has(m_graph.subgraphs(), name)) {
            m_graph.addSubgraph(name, subgraph);
        }
        for (const auto& [constant, value] : joint.constants()) {
            if (constant == name && !has(m_graph.constants(), name)) {
                m_graph.addConstant(name, value);
            }
        }
    }

    template<typename Entries>
    static bool has(const Entries& entries, const std::string& name) {
        return std::ranges::any_of(entries, [&](const auto& entry) { return entry.first == name; });
    }

    void addOutput() {
        ir::Node node;
        node.name = "output";
        node.op = ir::Opcode::Output;
        node.target = "output";
        ir::TupleArgument values;
        values.items.reserve(m_extracted.returned.size());
        bool described = false;
        for (const ReturnedValue& value : m_extracted.returned) {
            values.items.push_back(value.node == noIndex ? value.literal : ir::Argument(m_made[value.node]));
            const bool stated = value.descriptor.isStated();
            node.descriptors.push_back(stated ? value.descriptor : ir::Descriptor{ir::NoneDescriptor{}});
            described = described || stated;
        }
        if (!described) {
            node.descriptors.clear();
        }
        node.args.emplace_back(std::move(values));
        m_graph.append(std::move(node));
    }

    const JointProgram& m_program;
    const ExtractedGraph& m_extracted;
    std::vector<ir::NodeId> m_made;
    ir::GraphBuilder m_graph;
};

} // namespace

ir::GraphBuilder assembleGraph(const JointProgram& program, const ExtractedGraph& extracted,
                               std::span<const std::uint32_t> order) {
    return Assembly(program, extracted).assemble(order);
}

} // namespace aotscope::passes
