#include "ir/phase.h"

#include "ir/op_schema.h"
#include "ir/operators/operator.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

/// The facts about a graph's inputs and outputs that determine its kind.
struct GraphFacts {
    explicit GraphFacts(const Graph& graph)
        : needsTangent(ir::needsTangent(graph)),
          hasTangents(std::ranges::find(needsTangent, true) != needsTangent.end()) {
        const std::optional<NodeId> output = graph.output();
        if (!output) {
            return;
        }
        const Node& node = graph.node(*output);
        const std::vector<NodeId> returned = returnedNodes(graph);
        const bool described = node.descriptors.size() == returned.size();
        bool gradientsBegan = false;
        for (std::size_t i = 0; i < returned.size(); ++i) {
            const AOTOutput* descriptor = described ? outputDescriptor(node, i) : nullptr;
            const bool gradient =
                descriptor != nullptr
                    ? isOfBackward(*descriptor)
                    : gradientsBegan || (returned[i].valid() && needsTangent[returned[i].index()]);
            gradientsBegan = gradientsBegan || gradient;
            hasGradients = hasGradients || gradient;
            if (!gradient && returned[i].valid()) {
                forwardOutputs.push_back(returned[i]);
            }
        }
    }

    /// By node id index.
    std::vector<bool> needsTangent;
    bool hasTangents = false;
    std::vector<NodeId> forwardOutputs;
    bool hasGradients = false;
};

bool isJoint(const GraphFacts& facts) {
    return facts.hasTangents && !facts.forwardOutputs.empty();
}

bool isBackward(const GraphFacts& facts) {
    return facts.forwardOutputs.empty() && (facts.hasTangents || facts.hasGradients);
}

/// Derives the phases of a joint graph from its order and dataflow.
class JointPhases {
public:
    JointPhases(const Graph& graph, const GraphFacts& facts)
        : m_graph(graph), m_facts(facts), m_phases(graph.idBound(), Phase::Forward) {}

    std::vector<Phase> derive() {
        const std::uint32_t lastForward = lastNeededForward();
        bool backwardBegan = false;
        for (const NodeId id : m_graph.order()) {
            const Node& node = m_graph.node(id);
            if (node.op == Opcode::Placeholder) {
                m_phases[id.index()] = m_facts.needsTangent[id.index()] ? Phase::Backward : Phase::Forward;
                continue;
            }
            const bool late = m_graph.position(id) > lastForward;
            backwardBegan =
                backwardBegan || m_facts.needsTangent[id.index()] || (late && !isKeptFromForward(id));
            const bool forward = !backwardBegan || m_neededForward[id.index()] || isForwardMutation(id);
            m_phases[id.index()] = forward && node.op != Opcode::Output ? Phase::Forward : Phase::Backward;
        }
        return std::move(m_phases);
    }

private:
    /// Position of the epilogue: the copies into mutated inputs after the backward, and the views of them
    /// that are outputs.
    [[nodiscard]] std::uint32_t epilogueStart() const {
        auto start = static_cast<std::uint32_t>(m_graph.order().size());
        for (auto id = m_graph.order().rbegin(); id != m_graph.order().rend(); ++id) {
            if (m_facts.needsTangent[id->index()] && m_graph.node(*id).op != Opcode::Output) {
                break;
            }
            if (isInputMutation(*id)) {
                start = m_graph.position(*id);
            }
        }
        return start;
    }

    /// Position of the last call before the epilogue that a forward output needs.
    std::uint32_t lastNeededForward() {
        const std::uint32_t epilogue = epilogueStart();
        m_neededForward.assign(m_graph.idBound(), false);
        for (const NodeId id : m_facts.forwardOutputs) {
            m_neededForward[id.index()] = true;
        }
        std::uint32_t last = 0;
        for (auto id = m_graph.order().rbegin(); id != m_graph.order().rend(); ++id) {
            if (!m_neededForward[id->index()]) {
                continue;
            }
            if (m_graph.position(*id) < epilogue) {
                last = std::max(last, m_graph.position(*id));
            }
            for (const NodeId input : m_graph.inputs(*id)) {
                m_neededForward[input.index()] = true;
            }
        }
        return last;
    }

    /// Whether the node was traced together with a forward node: as a getitem of its result, or as the
    /// `detach` that autograd saves. The backward's own `detach` of that one does not count.
    [[nodiscard]] bool isKeptFromForward(NodeId id) const {
        const Node& node = m_graph.node(id);
        const auto inputs = m_graph.inputs(id);
        if (inputs.size() != 1 || m_phases[inputs[0].index()] != Phase::Forward) {
            return false;
        }
        if (node.target == "_operator.getitem") {
            return true;
        }
        return isSavedCopy(node) && !isSavedCopy(m_graph.node(inputs[0])) &&
               m_graph.node(inputs[0]).op != Opcode::Placeholder;
    }

    static bool isSavedCopy(const Node& node) { return Operator(node.target).is(Trait::Aliases); }

    [[nodiscard]] bool isInputMutation(NodeId id) const { return writesInput(m_graph, m_graph.node(id)); }

    /// Whether it is an input mutation by the forward.
    [[nodiscard]] bool isForwardMutation(NodeId id) const {
        if (m_facts.needsTangent[id.index()]) {
            return false;
        }
        const auto inputs = m_graph.inputs(id);
        return std::ranges::all_of(
                   inputs, [this](NodeId input) { return m_phases[input.index()] == Phase::Forward; }) &&
               isInputMutation(id);
    }

    const Graph& m_graph;
    const GraphFacts& m_facts;
    std::vector<Phase> m_phases;
    std::vector<bool> m_neededForward;
};

} // namespace

std::vector<bool> needsTangent(const Graph& graph) {
    std::vector<bool> needs(graph.idBound(), false);
    for (const NodeId id : graph.order()) {
        const auto inputs = graph.inputs(id);
        needs[id.index()] = isTangentOrBackwardToken(graph.node(id)) ||
                            std::ranges::any_of(inputs, [&](NodeId input) { return needs[input.index()]; });
    }
    return needs;
}

bool writesInput(const Graph& graph, const Node& node) {
    const NodeId* target = node.op == Opcode::CallFunction ? node.tryArg<NodeId>(0) : nullptr;
    if (target == nullptr || graph.node(*target).op != Opcode::Placeholder) {
        return false;
    }
    const std::shared_ptr<const OpSchema> schema = trySchema(node.target);
    return schema && !schema->arguments.empty() && schema->arguments[0].isMutated;
}

std::vector<Phase> nodePhases(const Graph& graph) {
    const GraphFacts facts(graph);
    if (!isJoint(facts)) {
        return std::vector<Phase>(graph.idBound(), isBackward(facts) ? Phase::Backward : Phase::Forward);
    }
    std::vector<Phase> phases = JointPhases(graph, facts).derive();
    for (const NodeId id : graph.order()) {
        const PartitionerTag tag = graph.node(id).partitionerTag;
        if (tag != PartitionerTag::None) {
            const bool backward = tag == PartitionerTag::Backward || tag == PartitionerTag::MustBeInBackward;
            phases[id.index()] = backward ? Phase::Backward : Phase::Forward;
        }
    }
    return phases;
}

bool isJointGraph(const Graph& graph) {
    return isJoint(GraphFacts(graph));
}

bool isBackwardGraph(const Graph& graph) {
    return isBackward(GraphFacts(graph));
}

} // namespace aotscope::ir
