#include "explore/split_fates.h"

#include "ir/phase.h"

#include <string_view>
#include <unordered_map>

namespace aotscope::session {

namespace {

/// By name, for each tensor that a hook packs.
std::unordered_map<std::string_view, std::int64_t> storedBytes(const PartitionSnapshot& split) {
    std::unordered_map<std::string_view, std::int64_t> stored;
    if (split.hooks) {
        for (const HookedTensor& tensor : split.hooks->tensors) {
            if (!tensor.hook.empty()) {
                stored.emplace(tensor.saved, tensor.storedBytes);
            }
        }
    }
    return stored;
}

std::int64_t bytesOf(const ir::Graph& graph, ir::NodeId node) {
    const ir::TensorMeta* tensor = ir::asTensor(graph.node(node).value);
    return tensor == nullptr ? 0 : tensor->bytes(graph.symbolHints()).value_or(0);
}

} // namespace

layout::SplitFacts splitFacts(const ir::Graph& drawn, const PartitionSnapshot& split) {
    const ir::Graph& joint = *split.partition->joint;
    const auto& decisions = split.partition->report.nodes;
    layout::SplitFacts facts;
    facts.fates.assign(drawn.idBound(), ir::NodeFate::Removed);
    facts.known.assign(drawn.idBound(), false);
    facts.mergedInto.assign(drawn.idBound(), {});
    for (const ir::NodeId node : drawn.order()) {
        const auto known = &drawn == &joint ? std::optional(node) : joint.tryFind(drawn.node(node).name);
        if (!known) {
            continue;
        }
        const passes::NodeDecision& decision = decisions[known->index()];
        facts.known[node.index()] = true;
        facts.fates[node.index()] = decision.fate;
        const auto kept =
            decision.mergedInto.valid() ? drawn.tryFind(joint.node(decision.mergedInto).name) : std::nullopt;
        facts.mergedInto[node.index()] = kept.value_or(ir::NodeId());
    }
    const auto stored = storedBytes(split);
    for (const SavedTensor& tensor : split.saved) {
        const auto node = drawn.tryFind(tensor.name);
        if (!node) {
            continue;
        }
        const auto packed = stored.find(tensor.name);
        // A symbol is a number, which has no bytes; the partitioner counts it as one.
        const std::int64_t bytes = tensor.dtype.empty() ? 0 : tensor.bytes;
        facts.saved.push_back(
            {*node, bytes, packed == stored.end() ? std::nullopt : std::optional(packed->second)});
    }
    return facts;
}

layout::SplitFacts loggedSplitFacts(const ir::Graph& drawn, const LoggedHalves& logged) {
    const ir::Graph& forward = *logged.forward->graph;
    const ir::Graph& backward = *logged.backward->graph;
    layout::SplitFacts facts;
    facts.fates.assign(drawn.idBound(), ir::NodeFate::Removed);
    facts.known.assign(drawn.idBound(), false);
    for (const ir::NodeId node : drawn.order()) {
        const std::string& name = drawn.node(node).name;
        const auto before = forward.tryFind(name);
        const auto after = backward.tryFind(name);
        facts.known[node.index()] = before || after;
        const bool isTaken = after && backward.node(*after).op == ir::Opcode::Placeholder;
        if (before && isTaken) {
            facts.fates[node.index()] = ir::NodeFate::Saved;
        } else if (before && after) {
            facts.fates[node.index()] = ir::NodeFate::Recomputed;
        } else if (before) {
            facts.fates[node.index()] = ir::NodeFate::ForwardOnly;
        } else if (after) {
            facts.fates[node.index()] = ir::NodeFate::BackwardOnly;
        }
    }
    for (const ir::NodeId taken : backward.placeholders()) {
        const auto node = drawn.tryFind(backward.node(taken).name);
        if (node && facts.fates[node->index()] == ir::NodeFate::Saved) {
            facts.saved.push_back({*node, bytesOf(backward, taken)});
        }
    }
    return facts;
}

SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture, const PartitionSnapshotPtr& split) {
    const ir::Graph& drawn = *picture->graph->graph;
    auto snapshot = std::make_shared<SplitMarksSnapshot>();
    snapshot->picture = picture;
    snapshot->split = split;
    snapshot->choices = split->choices;
    snapshot->facts = splitFacts(drawn, *split);
    snapshot->marks = layout::splitMarks(drawn, *picture->layout, snapshot->facts);
    return snapshot;
}

SplitMarksSnapshotPtr markLogged(const LayoutSnapshotPtr& picture, const LoggedHalves& logged,
                                 const PartitionChoices& choices) {
    const ir::Graph& drawn = *picture->graph->graph;
    auto snapshot = std::make_shared<SplitMarksSnapshot>();
    snapshot->picture = picture;
    snapshot->choices = choices;
    snapshot->facts = loggedSplitFacts(drawn, logged);
    snapshot->marks = layout::splitMarks(drawn, *picture->layout, snapshot->facts);
    return snapshot;
}

} // namespace aotscope::session
