#include "wrappers/value_paths.h"

#include "aot/tensor_elements.h"
#include "base/joined.h"
#include "base/mapped.h"
#include "ir/dtype.h"
#include "ir/operators/operator.h"
#include "passes/partition.h"

#include <algorithm>
#include <optional>
#include <span>

namespace aotscope::torch {

namespace {

bool drawsIn(const passes::NodeFlags& flags, ir::NodeId node) {
    return node.index() < flags.size() && (flags[node.index()] & passes::OpDraws) != 0;
}

/// The float dtype that a node computes in; nothing for a view, an input and what is no float.
std::optional<ir::DType> computesIn(const ir::Graph& graph, ir::NodeId id) {
    const ir::Node& node = graph.node(id);
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    const bool rounds = meta != nullptr && node.op == ir::Opcode::CallFunction &&
                        !ir::Operator(node.target).is(ir::Trait::View) && aot::unitRoundoff(meta->dtype) > 0;
    return rounds ? std::optional(meta->dtype) : std::nullopt;
}

/// "mm_1, permute and 3 more"
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    const std::string text = base::joined(std::span(names).first(std::min(names.size(), most)));
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

} // namespace

ValuePaths::ValuePaths(const aot::CompiledFunction& function, const std::vector<std::string>& names)
    : m_graph(function.graph), m_flags(passes::nodeFlags(*function.graph, {})) {
    m_draws = std::ranges::any_of(m_flags, [](std::uint32_t each) { return (each & passes::OpDraws) != 0; });
    // Where arguments are merged, positions in the graph are not those of the caller.
    if (aot::appliedWrapper<aot::AOTDedupeWrapper>(function.wrappers) == nullptr &&
        aot::appliedWrapper<aot::AOTSyntheticBaseWrapper>(function.wrappers) == nullptr) {
        nameOutputs(function, names);
    }
    if (m_draws && function.partition) {
        findDrawnAgain(function);
    }
}

void ValuePaths::nameOutputs(const aot::CompiledFunction& function, const std::vector<std::string>& names) {
    const std::vector<ir::NodeId> returned = ir::returnedNodes(*m_graph);
    const ir::Node* output = m_graph->output() ? &m_graph->node(*m_graph->output()) : nullptr;
    for (std::size_t i = 0; i < returned.size(); ++i) {
        const ir::AOTOutput* descriptor = ir::outputDescriptor(*output, i);
        if (descriptor == nullptr || !returned[i].valid()) {
            continue;
        }
        if (const auto* plain = descriptor->as<ir::PlainAOTOutput>()) {
            m_makers["output " + std::to_string(plain->idx)].push_back(returned[i]);
        }
    }
    const std::vector<ir::NodeId> gradients = aot::gradientsOf(function);
    for (std::size_t i = 0; i < std::min(gradients.size(), names.size()); ++i) {
        if (gradients[i].valid()) {
            m_makers["gradient of " + names[i]].push_back(gradients[i]);
        }
    }
}

void ValuePaths::findDrawnAgain(const aot::CompiledFunction& function) {
    const ir::GraphPtr forward = function.forward();
    const ir::GraphPtr backward = function.backward();
    if (!forward || !backward) {
        return;
    }
    const passes::NodeFlags before = passes::nodeFlags(*forward, {});
    const passes::NodeFlags after = passes::nodeFlags(*backward, {});
    for (const ir::NodeId id : backward->order()) {
        const std::string& name = backward->node(id).name;
        const std::optional<ir::NodeId> same = drawsIn(after, id) ? forward->tryFind(name) : std::nullopt;
        if (same && drawsIn(before, *same)) {
            m_drawnAgain.push_back(name);
        }
    }
}

std::vector<ir::NodeId> ValuePaths::wayTo(const std::string& value) const {
    const auto makers = m_makers.find(value);
    if (makers == m_makers.end()) {
        return {m_graph->order().begin(), m_graph->order().end()};
    }
    std::vector<bool> isOn(m_graph->idBound());
    for (const ir::NodeId id : makers->second) {
        isOn[id.index()] = true;
    }
    std::vector<ir::NodeId> way;
    const auto order = m_graph->order();
    for (std::size_t i = order.size(); i-- > 0;) {
        if (!isOn[order[i].index()]) {
            continue;
        }
        way.push_back(order[i]);
        for (const ir::NodeId input : m_graph->inputs(order[i])) {
            isOn[input.index()] = true;
        }
    }
    std::ranges::reverse(way);
    return way;
}

std::vector<std::string> ValuePaths::drawsOn(const std::string& value) const {
    std::vector<std::string> names;
    for (const ir::NodeId id : m_draws ? wayTo(value) : std::vector<ir::NodeId>()) {
        if (drawsIn(m_flags, id)) {
            names.push_back(m_graph->node(id).name);
        }
    }
    return names;
}

std::vector<std::string> ValuePaths::narrower(const std::string& value, double roundoff) const {
    std::map<std::string, std::vector<std::string>> nodes;
    for (const ir::NodeId id : wayTo(value)) {
        const auto dtype = computesIn(*m_graph, id);
        if (dtype && aot::unitRoundoff(*dtype) > roundoff) {
            nodes[std::string(ir::dtypeShortName(*dtype))].push_back(m_graph->node(id).name);
        }
    }
    return base::mapped(nodes, [&](const auto& each) {
        return "computed in " + each.first + " by " + listed(each.second) + ", which eager mode does not";
    });
}

} // namespace aotscope::torch
