#include "passes/joint_program.h"

#include "passes/value_size.h"

#include "ir/phase.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace aotscope::passes {
namespace {

ValueKind kindOf(const ir::ValueMeta& value) {
    if (ir::asTensor(value) != nullptr) {
        return ValueKind::Tensor;
    }
    if (const auto* symbolic = std::get_if<ir::SymbolicMeta>(&value)) {
        // In the order of SymbolicMeta::Kind.
        constexpr std::array kinds{ValueKind::SymInt, ValueKind::SymFloat, ValueKind::SymBool};
        return kinds.at(static_cast<std::size_t>(symbolic->kind));
    }
    if (std::holds_alternative<std::shared_ptr<const ir::TupleMeta>>(value)) {
        return ValueKind::Tuple;
    }
    return std::holds_alternative<ir::OtherMeta>(value) ? ValueKind::Other : ValueKind::Unknown;
}

RecomputeTag recomputeTag(const ir::Node& node) {
    return (node.origin ? base::fromWord<RecomputeTag>(node.origin->recompute) : std::nullopt)
        .value_or(RecomputeTag::None);
}

InputRole roleOf(const ir::Node& node) {
    if (node.op != ir::Opcode::Placeholder) {
        return InputRole::None;
    }
    const ir::AOTInput* input = ir::inputDescriptor(node);
    if (input == nullptr) {
        return InputRole::Primal;
    }
    if (ir::isTangentOrBackwardToken(*input)) {
        return InputRole::Tangent;
    }
    if (ir::isBackwardSeedOrOffset(*input)) {
        return InputRole::BackwardSeed;
    }
    return ir::isForwardSeedOrOffset(*input) ? InputRole::ForwardSeed : InputRole::Primal;
}

bool hasNoVersionCheck(const ir::Node& node) {
    return std::ranges::any_of(node.extra, [](const auto& entry) {
        return entry.first == "saved_tensor_with_no_vc_check" && entry.second == "true";
    });
}

/// A node of both halves is bound to neither.
ir::PartitionerTag recordedTag(const ir::Node& node) {
    return node.partitionerTag == ir::PartitionerTag::Both ? ir::PartitionerTag::None : node.partitionerTag;
}

/// The copies into inputs at the end of a joint graph, last one first. Views of the copied values, which are
/// outputs, may lie between them.
std::vector<ir::NodeId> closingCopies(const ir::Graph& graph, const NodeFlags& flags,
                                      const std::vector<bool>& tangent) {
    std::vector<ir::NodeId> copies;
    for (auto id = graph.order().rbegin(); id != graph.order().rend(); ++id) {
        const ir::Node& node = graph.node(*id);
        if (node.op == ir::Opcode::CallFunction && (flags[id->index()] & OpMutable) != 0) {
            copies.push_back(*id);
        } else if (node.op != ir::Opcode::Output && tangent[id->index()]) {
            break;
        }
    }
    return copies;
}

/// Position of the last node that needs a tangent. After it, views that are outputs are regenerated, and
/// these nodes are neither forward nor backward. Nothing: no node needs a tangent.
std::optional<std::size_t> endOfBackward(const ir::Graph& graph, const std::vector<bool>& tangent) {
    for (auto id = graph.order().rbegin(); id != graph.order().rend(); ++id) {
        if (graph.node(*id).op == ir::Opcode::CallFunction && tangent[id->index()]) {
            return graph.position(*id);
        }
    }
    return std::nullopt;
}

void deriveTags(const ir::Graph& graph, const NodeFlags& flags, std::vector<ir::PartitionerTag>& tags) {
    const std::vector<ir::Phase> phases = ir::nodePhases(graph);
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).op != ir::Opcode::Output) {
            tags[id.index()] = phases[id.index()] == ir::Phase::Forward ? ir::PartitionerTag::Forward
                                                                        : ir::PartitionerTag::Backward;
        }
    }
    const std::vector<bool> tangent = ir::needsTangent(graph);
    std::vector<bool> written(graph.idBound(), false);
    const std::vector<ir::NodeId> copies = closingCopies(graph, flags, tangent);
    const std::optional<std::size_t> end = endOfBackward(graph, tangent);
    for (const ir::NodeId id : graph.order()) {
        const bool isViewAmongCopies = !copies.empty() && graph.position(id) > graph.position(copies.back());
        const bool isViewAtEnd =
            end && graph.position(id) > *end && tags[id.index()] == ir::PartitionerTag::Forward;
        if (isViewAmongCopies || isViewAtEnd) {
            tags[id.index()] = ir::PartitionerTag::None;
        }
    }
    for (auto id = copies.rbegin(); id != copies.rend(); ++id) {
        const ir::Node& node = graph.node(*id);
        const ir::NodeId* into = node.tryArg<ir::NodeId>(0);
        if (into == nullptr) {
            continue;
        }
        const bool backward = tangent[id->index()] || written[into->index()];
        written[into->index()] = true;
        tags[id->index()] =
            backward ? ir::PartitionerTag::MustBeInBackward : ir::PartitionerTag::MustBeInForward;
    }
}

/// The `partitioner_tag` of each node, by node id index. A logged graph does not contain it, so it is
/// derived: forward or backward from the traced phase; of the copies into mutated inputs at the end, the
/// first for each input must be in the forward unless it depends on a tangent, the others in the backward.
/// Follows torch 2.11, torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_joint,
/// create_functionalized_fn.
std::vector<ir::PartitionerTag> placementTags(const ir::Graph& graph, const NodeFlags& flags) {
    std::vector<ir::PartitionerTag> tags(graph.idBound(), ir::PartitionerTag::None);
    bool anyRecorded = false;
    for (const ir::NodeId id : graph.order()) {
        tags[id.index()] = recordedTag(graph.node(id));
        anyRecorded = anyRecorded || tags[id.index()] != ir::PartitionerTag::None;
    }
    if (!anyRecorded) {
        deriveTags(graph, flags, tags);
    }
    return tags;
}

} // namespace

JointProgram::JointProgram(const ir::Graph& graph, std::span<const ir::NodeId> order,
                           std::span<const ir::NodeId> replacement, const PartitionOptions& options,
                           const NodeFlags& flags)
    : m_graph(graph), m_replacement(replacement), m_indexOf(graph.idBound(), noIndex) {
    items.reserve(order.size());
    ValueSizes sizes(graph, options.rules);
    const std::vector<ir::PartitionerTag> tags = placementTags(graph, flags);
    // In the order of InputRole.
    const std::array<std::vector<Index>*, 5> inputsByRole{nullptr, &primals, &tangents, &forwardSeeds,
                                                          &backwardSeeds};
    for (const ir::NodeId id : order) {
        const ir::Node& node = graph.node(id);
        const Index index = size();
        m_indexOf[id.index()] = index;
        Item item;
        item.id = id;
        item.opcode = node.op;
        item.op = flags[id.index()];
        item.value = kindOf(node.value);
        item.recompute = recomputeTag(node);
        item.tag = tags[id.index()];
        item.role = roleOf(node);
        item.noVersionCheck = hasNoVersionCheck(node);
        item.bytes = sizes.bytes(id);
        if (item.role != InputRole::None) {
            inputsByRole.at(static_cast<std::size_t>(item.role))->push_back(index);
        }
        if (node.op == ir::Opcode::Output) {
            m_output = index;
        }
        items.push_back(item);
    }
    unboundSymbols.assign(sizes.unbound().begin(), sizes.unbound().end());
    connect(order);
    readReturned();
    forwardOutputs = forwardOutputsOf(graph, options);
}

Index JointProgram::indexOf(ir::NodeId id) const {
    if (!m_replacement.empty() && m_replacement[id.index()].valid()) {
        id = m_replacement[id.index()];
    }
    return m_indexOf[id.index()];
}

Index JointProgram::argument(Index i, std::size_t position) const {
    const auto* id = node(i).tryArg<ir::NodeId>(position);
    return id == nullptr ? noIndex : indexOf(*id);
}

void JointProgram::connect(std::span<const ir::NodeId> order) {
    const Index count = size();
    std::vector<Index> seenBy(count, noIndex);
    m_inputOffsets.assign(count + 1, 0);
    m_userOffsets.assign(count + 1, 0);
    m_inputs.reserve(static_cast<std::size_t>(count) * 2);
    for (Index i = 0; i < count; ++i) {
        for (const ir::NodeId id : m_graph.inputs(order[i])) {
            const Index input = indexOf(id);
            if (input != noIndex && seenBy[input] != i) {
                seenBy[input] = i;
                m_inputs.push_back(input);
                ++m_userOffsets[input + 1];
            }
        }
        m_inputOffsets[i + 1] = static_cast<std::uint32_t>(m_inputs.size());
    }
    std::partial_sum(m_userOffsets.begin(), m_userOffsets.end(), m_userOffsets.begin());
    m_users.assign(m_inputs.size(), noIndex);
    std::vector<std::uint32_t> next(m_userOffsets.begin(), m_userOffsets.end() - 1);
    for (Index user = 0; user < count; ++user) {
        for (const Index input : inputs(user)) {
            m_users[next[input]++] = user;
        }
    }
}

void JointProgram::readReturned() {
    if (m_output == noIndex) {
        return;
    }
    const ir::Node& output = node(m_output);
    for (const ir::Argument& argument : output.args) {
        forEachLeaf(argument, [&](const ir::Argument& leaf) {
            const ir::NodeId* id = leaf.as<ir::NodeId>();
            ReturnedValue value;
            if (id != nullptr) {
                value.node = indexOf(*id);
            } else {
                value.literal = leaf;
            }
            returned.push_back(std::move(value));
        });
    }
    if (output.descriptors.size() == returned.size()) {
        for (std::size_t i = 0; i < returned.size(); ++i) {
            returned[i].descriptor = output.descriptors[i];
        }
    }
}

std::vector<bool> marked(Index count, std::initializer_list<std::span<const Index>> lists) {
    std::vector<bool> marks(count, false);
    for (const std::span<const Index> list : lists) {
        for (const Index i : list) {
            marks[i] = true;
        }
    }
    return marks;
}

std::size_t forwardOutputsOf(const ir::Graph& joint, const PartitionOptions& options) {
    const auto id = joint.output();
    if (!id) {
        return 0;
    }
    const ir::Node& output = joint.node(*id);
    const std::size_t returned = ir::returnedNodes(joint).size();
    if (options.forwardOutputs) {
        return std::min(*options.forwardOutputs, returned);
    }
    // With descriptors: count up to the last forward output. A gradient that is None has no descriptor.
    std::size_t count = 0;
    bool described = false;
    for (std::size_t i = 0; i < returned && output.descriptors.size() == returned; ++i) {
        const ir::AOTOutput* kind = output.descriptors[i].output();
        described = described || output.descriptors[i].value.index() != 0;
        count = kind != nullptr && !ir::isOfBackward(*kind) ? i + 1 : count;
    }
    if (described) {
        return count;
    }
    // Without descriptors: the backward returns one gradient, or None, for each input of the forward.
    const std::vector<ir::NodeId> inputs = joint.placeholders();
    const auto primals = static_cast<std::size_t>(std::ranges::count_if(
        inputs, [&joint](ir::NodeId input) { return roleOf(joint.node(input)) == InputRole::Primal; }));
    return returned - std::min(primals, returned);
}

} // namespace aotscope::passes
