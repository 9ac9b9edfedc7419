#include "ir/graph.h"

#include "ir/bodies.h"
#include "ir/derived_descriptors.h"
#include "ir/graph_builder.h"
#include "ir/used_symbols.h"

#include <algorithm>
#include <bit>
#include <set>

namespace aotscope::ir {
namespace {

using Symbols = std::set<std::string>;

void addSymbols(const Graph& graph, Symbols& symbols) {
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        addSymbols(node.value, symbols);
        forEachArgument(node, [&](const Argument& argument) { addSymbols(argument, symbols); });
    }
}

std::size_t nameSlots(std::size_t nodes) {
    return std::bit_ceil(std::max<std::size_t>(nodes * 2, 8));
}

} // namespace

std::optional<PickedResult> pickedResult(const Node& node) {
    const bool isPick = node.target == "_operator.getitem" && node.args.size() == 2;
    const NodeId* call = isPick ? node.tryArg<NodeId>(0) : nullptr;
    const auto* index = node.tryArg<std::int64_t>(1);
    return call == nullptr || index == nullptr || *index < 0
               ? std::nullopt
               : std::optional(PickedResult{*call, static_cast<std::size_t>(*index)});
}

const std::string* NodeMeta::tryExtra(std::string_view key) const {
    const auto found = std::ranges::find(extra, key, &std::pair<std::string, std::string>::first);
    return found == extra.end() ? nullptr : &found->second;
}

const std::string* TextStyle::note(const std::string& name) const {
    const auto found = notes.find(name);
    return found == notes.end() ? nullptr : &found->second;
}

const AOTInput* inputDescriptor(const Node& node) {
    return node.op != Opcode::Placeholder || node.descriptors.empty() ? nullptr
                                                                      : node.descriptors.front().input();
}

const AOTOutput* outputDescriptor(const Node& output, std::size_t position) {
    return position < output.descriptors.size() ? output.descriptors[position].output() : nullptr;
}

bool isTangentOrBackwardToken(const Node& node) {
    const AOTInput* input = inputDescriptor(node);
    return input != nullptr && isTangentOrBackwardToken(*input);
}

Graph::Graph(GraphBuilder&& builder) : GraphContents(std::move(builder)) {
    index();
    detail::deriveDescriptors(*this, m_nodes);
}

std::optional<NodeId> Graph::tryFind(std::string_view name) const {
    if (m_byName.empty()) {
        return std::nullopt;
    }
    const std::size_t mask = m_byName.size() - 1;
    for (std::size_t slot = std::hash<std::string_view>{}(name)&mask; m_byName[slot].valid();
         slot = (slot + 1) & mask) {
        if (node(m_byName[slot]).name == name) {
            return m_byName[slot];
        }
    }
    return std::nullopt;
}

std::span<const NodeId> Graph::users(NodeId id) const {
    const std::size_t first = m_userOffsets[id.index()];
    return std::span(m_users).subspan(first, m_userOffsets[id.index() + 1] - first);
}

std::span<const NodeId> Graph::inputs(NodeId id) const {
    const std::size_t first = m_inputOffsets[id.index()];
    return std::span(m_inputs).subspan(first, m_inputOffsets[id.index() + 1] - first);
}

std::vector<NodeId> GraphContents::placeholders() const {
    std::vector<NodeId> found;
    std::copy_if(m_order.begin(), m_order.end(), std::back_inserter(found),
                 [this](NodeId id) { return node(id).op == Opcode::Placeholder; });
    return found;
}

std::optional<NodeId> GraphContents::output() const {
    const auto found = std::find_if(m_order.rbegin(), m_order.rend(),
                                    [this](NodeId id) { return node(id).op == Opcode::Output; });
    return found == m_order.rend() ? std::nullopt : std::optional(*found);
}

std::span<const Argument> GraphContents::returned() const {
    const auto id = output();
    if (!id) {
        return {};
    }
    const Arguments& args = node(*id).args;
    const Arguments* items = args.size() == 1 ? itemsOf(args.front()) : nullptr;
    return items != nullptr ? *items : args;
}

std::vector<NodeId> returnedNodes(const GraphContents& graph) {
    std::vector<NodeId> nodes;
    for (const Argument& argument : graph.returned()) {
        forEachLeaf(argument, [&nodes](const Argument& leaf) {
            const NodeId* id = leaf.as<NodeId>();
            nodes.push_back(id == nullptr ? NodeId() : *id);
        });
    }
    return nodes;
}

GraphPtr GraphContents::trySubgraph(std::string_view name) const {
    const auto found =
        std::ranges::find_if(m_subgraphs, [name](const auto& entry) { return entry.first == name; });
    return found == m_subgraphs.end() ? nullptr : found->second;
}

std::vector<std::string> Graph::symbols() const {
    Symbols symbols;
    addSymbols(*this, symbols);
    forEachBody(*this, [&symbols](const Graph& body) { addSymbols(body, symbols); });
    return {symbols.begin(), symbols.end()};
}

void Graph::index() {
    const std::size_t bound = m_nodes.size();
    constexpr std::uint32_t notInOrder = 0xFFFFFFFFU;
    m_position.assign(bound, notInOrder);
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        m_position[m_order[i].index()] = static_cast<std::uint32_t>(i);
    }

    m_byName.assign(nameSlots(m_order.size()), NodeId());
    const std::size_t mask = m_byName.size() - 1;
    for (const NodeId id : m_order) {
        const std::string_view name = node(id).name;
        std::size_t slot = std::hash<std::string_view>{}(name)&mask;
        while (m_byName[slot].valid() && node(m_byName[slot]).name != name) {
            slot = (slot + 1) & mask;
        }
        if (!m_byName[slot].valid()) {
            m_byName[slot] = id;
        }
    }

    // `seenBy` finds repeats without a set: the last node, in id order, that has this one as an input.
    std::vector<std::uint32_t> seenBy(bound, notInOrder);
    m_inputs.clear();
    m_inputs.reserve(bound * 2);
    m_inputOffsets.assign(bound + 1, 0);
    m_userOffsets.assign(bound + 1, 0);
    for (std::uint32_t i = 0; i < bound; ++i) {
        if (m_position[i] != notInOrder) {
            forEachNode(m_nodes[i], [&](NodeId used) {
                if (used.index() < bound && seenBy[used.index()] != i) {
                    seenBy[used.index()] = i;
                    m_inputs.push_back(used);
                    ++m_userOffsets[used.index() + 1];
                }
            });
        }
        m_inputOffsets[i + 1] = static_cast<std::uint32_t>(m_inputs.size());
    }
    for (std::size_t i = 0; i < bound; ++i) {
        m_userOffsets[i + 1] += m_userOffsets[i];
    }
    m_users.assign(m_inputs.size(), NodeId());
    std::vector<std::uint32_t> next(m_userOffsets.begin(), m_userOffsets.end() - 1);
    for (const NodeId user : m_order) {
        for (const NodeId used : inputs(user)) {
            m_users[next[used.index()]++] = user;
        }
    }
}

GraphPtr withSymbolHints(const GraphPtr& graph, SymbolBindings hints) {
    if (hints == graph->symbolHints()) {
        return graph;
    }
    GraphBuilder changed(*graph);
    changed.editSymbolHints() = std::move(hints);
    return changed.finish();
}

} // namespace aotscope::ir
