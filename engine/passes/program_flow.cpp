#include "passes/program_flow.h"

#include <algorithm>
#include <numeric>

namespace aotscope::passes {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFU;

/// Position of the first node that uses a tangent; `none` if no node does.
std::uint32_t firstBackwardNode(const ProgramFlow& flow) {
    for (std::uint32_t i = 0; i < flow.size(); ++i) {
        for (const std::uint32_t input : flow.inputsOf(i)) {
            if (flow.kinds[input] == FlowKind::Tangent) {
                return i;
            }
        }
    }
    return none;
}

/// Appends nodes, each after everything it needs.
class Inserter {
public:
    explicit Inserter(const ProgramFlow& flow) : m_flow(flow), m_placed(flow.size(), false) {}

    void place(std::uint32_t i) {
        m_placed[i] = true;
        m_order.push_back(i);
    }

    void insert(std::uint32_t wanted) {
        m_stack.assign(1, wanted);
        m_needed.clear();
        while (!m_stack.empty()) {
            const std::uint32_t i = m_stack.back();
            m_stack.pop_back();
            if (!m_placed[i]) {
                m_placed[i] = true;
                m_needed.push_back(i);
                const auto inputs = m_flow.inputsOf(i);
                m_stack.insert(m_stack.end(), inputs.begin(), inputs.end());
            }
        }
        std::sort(m_needed.begin(), m_needed.end());
        m_order.insert(m_order.end(), m_needed.begin(), m_needed.end());
    }

    std::vector<std::uint32_t> take() { return std::move(m_order); }

private:
    const ProgramFlow& m_flow;
    std::vector<bool> m_placed;
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_stack;
    std::vector<std::uint32_t> m_needed;
};

FlowKind flowKindOf(std::uint32_t op, InputRole role) {
    if (role == InputRole::Tangent) {
        return FlowKind::Tangent;
    }
    if (role != InputRole::None) {
        return FlowKind::Placeholder;
    }
    if ((op & OpGetitem) != 0) {
        return FlowKind::Getitem;
    }
    return (op & OpCopyInto) != 0 ? FlowKind::CopyInto : FlowKind::Call;
}

} // namespace

ProgramFlow flowOf(const JointProgram& program, const ExtractedGraph& extracted) {
    ProgramFlow flow;
    std::vector<std::uint32_t> positionOf(program.size(), none);
    const std::size_t total = extracted.inputs.size() + extracted.nodes.size() + 1;
    flow.kinds.reserve(total);
    flow.inputOffsets.reserve(total + 1);
    for (const Index input : extracted.inputs) {
        positionOf[input] = flow.size();
        const bool tangent = program[input].role == InputRole::Tangent;
        flow.kinds.push_back(tangent ? FlowKind::Tangent : FlowKind::Placeholder);
        flow.inputOffsets.push_back(0);
    }
    for (const Index i : extracted.nodes) {
        positionOf[i] = flow.size();
        flow.kinds.push_back(flowKindOf(program[i].op, program[i].role));
        for (const Index input : program.inputs(i)) {
            flow.inputs.push_back(positionOf[input]);
        }
        flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    }
    flow.kinds.push_back(FlowKind::Output);
    for (const ReturnedValue& value : extracted.returned) {
        if (value.node != noIndex) {
            flow.inputs.push_back(positionOf[value.node]);
        }
    }
    flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    return flow;
}

ProgramFlow flowOf(const ir::Graph& graph) {
    ProgramFlow flow;
    const NodeFlags flags = nodeFlags(graph, {});
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        FlowKind kind = FlowKind::Call;
        if (node.op == ir::Opcode::Placeholder) {
            kind = ir::isTangentOrBackwardToken(node) ? FlowKind::Tangent : FlowKind::Placeholder;
        } else if (node.op == ir::Opcode::Output) {
            kind = FlowKind::Output;
        } else if (node.op == ir::Opcode::CallFunction) {
            kind = flowKindOf(flags[id.index()], InputRole::None);
        }
        flow.kinds.push_back(kind);
        for (const ir::NodeId input : graph.inputs(id)) {
            flow.inputs.push_back(graph.position(input));
        }
        flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    }
    return flow;
}

std::vector<std::uint32_t> programOrder(const ProgramFlow& flow) {
    std::vector<std::uint32_t> order(flow.size());
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

std::vector<std::uint32_t> orderLikeAutograd(const ProgramFlow& flow) {
    const std::uint32_t first = firstBackwardNode(flow);
    if (first == none) {
        return programOrder(flow);
    }
    Inserter inserter(flow);
    for (std::uint32_t i = 0; i < flow.size(); ++i) {
        if (flow.kinds[i] == FlowKind::Placeholder || flow.kinds[i] == FlowKind::Tangent) {
            inserter.place(i);
        }
    }
    for (std::uint32_t i = 0; i < first; ++i) {
        if (flow.kinds[i] == FlowKind::CopyInto) {
            inserter.insert(i);
        }
    }
    for (std::uint32_t i = first; i < flow.size(); ++i) {
        inserter.insert(i);
    }
    return inserter.take();
}

void raiseGetitems(const ProgramFlow& flow, std::vector<std::uint32_t>& order) {
    // A linked list with a head at position `size`.
    const std::uint32_t head = flow.size();
    std::vector<std::uint32_t> next(head + 1, head);
    std::vector<std::uint32_t> previous(head + 1, head);
    std::uint32_t last = head;
    for (const std::uint32_t i : order) {
        next[last] = i;
        previous[i] = last;
        last = i;
    }
    next[last] = head;
    previous[head] = last;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
        const auto inputs = flow.inputsOf(*i);
        if (flow.kinds[*i] != FlowKind::Getitem || inputs.size() != 1) {
            continue;
        }
        next[previous[*i]] = next[*i];
        previous[next[*i]] = previous[*i];
        const std::uint32_t parent = inputs[0];
        next[*i] = next[parent];
        previous[next[parent]] = *i;
        next[parent] = *i;
        previous[*i] = parent;
    }
    order.clear();
    for (std::uint32_t i = next[head]; i != head; i = next[i]) {
        order.push_back(i);
    }
}

} // namespace aotscope::passes
