#include "kernels/fusion_groups.h"

#include "kernels/operator_rules.h"

#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

constexpr std::size_t mostNodes = 48;
/// Groups span at most so many nodes of the program, which bounds the search for paths.
constexpr std::uint32_t widestSpan = 600;
/// A row this long deserves more blocks than its few rows give, so that nothing else joins it.
constexpr std::int64_t longRow = 65536;
constexpr std::int64_t fewRows = 64;

bool containsNode(const std::vector<ir::NodeId>& nodes, ir::NodeId node) {
    return std::ranges::find(nodes, node) != nodes.end();
}

} // namespace

FusionGroups::FusionGroups(const GraphFacts& facts, const std::vector<NodeTraits>& traits)
    : m_facts(facts),
      m_traits(traits),
      m_groupOf(facts.graph().idBound(), none),
      m_producers(facts.graph().idBound()),
      m_epoch(facts.graph().idBound()),
      m_seen(facts.graph().idBound()) {
    findProducers();
}

void FusionGroups::findProducers() {
    const ir::Graph& graph = m_facts.graph();
    ir::NodeId lastOrdered;
    std::uint32_t epoch = 0;
    for (const ir::NodeId id : graph.order()) {
        const NodeTraits& traits = m_traits[id.index()];
        std::vector<ir::NodeId>& producers = m_producers[id.index()];
        // Sizes and strides are known without the tensor.
        if (!ir::isSymbolicOperator(m_facts.node(id).target)) {
            for (const ir::NodeId input : graph.inputs(id)) {
                addProducersThrough(input, producers);
            }
        }
        if (traits.isOrdered) {
            if (lastOrdered.valid()) {
                producers.push_back(lastOrdered);
            }
            lastOrdered = id;
        }
        epoch += traits.isBarrier ? 1 : 0;
        m_epoch[id.index()] = epoch;
        epoch += traits.isBarrier ? 1 : 0;
    }
}

void FusionGroups::addProducersThrough(ir::NodeId input, std::vector<ir::NodeId>& into) const {
    if (m_traits[input.index()].role != NodeRole::View) {
        into.push_back(input);
        return;
    }
    const std::vector<ir::NodeId>& through = m_producers[input.index()];
    into.insert(into.end(), through.begin(), through.end());
}

void FusionGroups::form() {
    for (const ir::NodeId id : m_facts.graph().order()) {
        if (m_traits[id.index()].role != NodeRole::Eligible) {
            continue;
        }
        m_groupOf[id.index()] = m_groups.size();
        m_groups.push_back({{id}, {}});
        std::vector<std::size_t> neighbours;
        for (const ir::NodeId producer : m_producers[id.index()]) {
            const std::size_t group = m_groupOf[producer.index()];
            if (group != none && std::ranges::find(neighbours, group) == neighbours.end()) {
                neighbours.push_back(group);
            }
        }
        // The nearest first, because their values need not be kept for long.
        std::ranges::sort(neighbours, [this](std::size_t left, std::size_t right) {
            return m_facts.graph().position(m_groups[left].nodes.back()) >
                   m_facts.graph().position(m_groups[right].nodes.back());
        });
        for (const std::size_t neighbour : neighbours) {
            join(m_groupOf[id.index()], neighbour);
        }
    }
}

void FusionGroups::join(std::size_t own, std::size_t other) {
    if (own == other || m_groups[other].nodes.empty()) {
        return;
    }
    std::vector<ir::NodeId> nodes;
    std::ranges::merge(
        m_groups[own].nodes, m_groups[other].nodes, std::back_inserter(nodes), {},
        [this](ir::NodeId id) { return m_facts.graph().position(id); },
        [this](ir::NodeId id) { return m_facts.graph().position(id); });
    std::string refusal = whyNot(nodes);
    if (!refusal.empty()) {
        m_groups[other].refusal = refusal;
        m_groups[own].refusal = std::move(refusal);
        return;
    }
    for (const ir::NodeId node : m_groups[own].nodes) {
        m_groupOf[node.index()] = other;
    }
    m_groups[own].nodes.clear();
    m_groups[other].nodes = std::move(nodes);
}

std::string FusionGroups::whyNot(const std::vector<ir::NodeId>& nodes) {
    const ir::Graph& graph = m_facts.graph();
    if (nodes.size() > mostNodes) {
        return "the kernel would be too large";
    }
    if (m_epoch[nodes.front().index()] != m_epoch[nodes.back().index()]) {
        return "memory is written between them";
    }
    if (graph.position(nodes.back()) - graph.position(nodes.front()) > widestSpan) {
        return "they are too far apart";
    }
    if (comesBack(nodes)) {
        return "a path between them leaves the group and comes back";
    }
    const Outputs outputs = outputsOf(nodes);
    const auto lowered = lowerGroup({m_facts, nodes, outputs.computed});
    if (!lowered) {
        return lowered.error().message;
    }
    if (lowered->kind == KernelKind::RowReduction && lowered->columns > longRow && lowered->rows < fewRows) {
        return "there are too few rows to keep a device busy";
    }
    return {};
}

bool FusionGroups::comesBack(const std::vector<ir::NodeId>& nodes) {
    const ir::Graph& graph = m_facts.graph();
    const std::uint32_t first = graph.position(nodes.front());
    const std::uint32_t lowest = first > widestSpan ? first - widestSpan : 0;
    ++m_search;
    std::vector<ir::NodeId> pending;
    const auto visit = [&](ir::NodeId id) {
        if (m_seen[id.index()] != m_search && graph.position(id) >= lowest) {
            m_seen[id.index()] = m_search;
            pending.push_back(id);
        }
    };
    for (const ir::NodeId node : nodes) {
        for (const ir::NodeId producer : m_producers[node.index()]) {
            if (!containsNode(nodes, producer)) {
                visit(producer);
            }
        }
    }
    while (!pending.empty()) {
        const ir::NodeId id = pending.back();
        pending.pop_back();
        const std::size_t group = m_groupOf[id.index()];
        const std::vector<ir::NodeId> alone = {id};
        for (const ir::NodeId member : group == none ? alone : m_groups[group].nodes) {
            for (const ir::NodeId producer : m_producers[member.index()]) {
                if (containsNode(nodes, producer)) {
                    return true;
                }
                visit(producer);
            }
        }
    }
    return false;
}

void FusionGroups::addReaders(ir::NodeId value, TensorName name, const std::vector<ir::NodeId>& nodes,
                              std::vector<TensorName>& read) const {
    const auto found = [&](TensorName tensor) {
        if (std::ranges::find(read, tensor) == read.end()) {
            read.push_back(tensor);
        }
    };
    const auto users = m_facts.graph().users(value);
    if (users.empty()) {
        found(name);
    }
    for (const ir::NodeId user : users) {
        if (containsNode(nodes, user) || ir::isSymbolicOperator(m_facts.node(user).target)) {
            continue;
        }
        if (m_traits[user.index()].role != NodeRole::View) {
            found(name);
            continue;
        }
        // Picking one of this node's results names another value; other views are of the same.
        const auto picked = value == name.node ? m_facts.pick(user) : std::nullopt;
        if (m_facts.graph().users(user).empty()) {
            continue;
        }
        addReaders(user, picked ? *picked : name, nodes, read);
    }
}

TensorName FusionGroups::memoryOf(ir::NodeId value) const {
    while (m_traits[value.index()].role == NodeRole::View && !m_facts.graph().inputs(value).empty()) {
        if (const auto picked = m_facts.pick(value)) {
            return *picked;
        }
        value = m_facts.graph().inputs(value).front();
    }
    return {value};
}

FusionGroups::Outputs FusionGroups::outputsOf(const std::vector<ir::NodeId>& nodes) const {
    Outputs outputs;
    std::vector<TensorName> read;
    for (const ir::NodeId node : nodes) {
        const std::size_t before = read.size();
        addReaders(node, {node}, nodes, read);
        const OpCall call(m_facts, node);
        const OperatorRule* rule = operatorRule(call);
        for (std::size_t i = before; i < read.size(); ++i) {
            if (rule == nullptr || rule->computes == nullptr || rule->computes(call, read[i].result)) {
                outputs.computed.push_back(read[i]);
            } else {
                outputs.remainders.push_back(read[i]);
            }
        }
    }
    // ATen computes the rest from the node's operands, which must then be in memory.
    for (const TensorName& remainder : outputs.remainders) {
        for (const ir::NodeId input : m_facts.graph().inputs(remainder.node)) {
            const TensorName operand = memoryOf(input);
            if (containsNode(nodes, operand.node) &&
                std::ranges::find(outputs.computed, operand) == outputs.computed.end()) {
                outputs.computed.push_back(operand);
            }
        }
    }
    std::ranges::sort(outputs.computed, [this](const TensorName& left, const TensorName& right) {
        const auto leftPlace = m_facts.graph().position(left.node);
        const auto rightPlace = m_facts.graph().position(right.node);
        return leftPlace != rightPlace ? leftPlace < rightPlace : left.result < right.result;
    });
    return outputs;
}

} // namespace aotscope::kernels
