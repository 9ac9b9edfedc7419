#include "explore/split_fates.h"

#include "judge/answers.h"

#include <string_view>
#include <unordered_map>
#include <utility>

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

SplitMarksSnapshotPtr markedWith(const LayoutSnapshotPtr& picture, layout::SplitFacts facts,
                                 const PartitionChoices& choices, const PartitionSnapshotPtr& split) {
    auto snapshot = std::make_shared<SplitMarksSnapshot>();
    snapshot->picture = picture;
    snapshot->split = split;
    snapshot->choices = choices;
    snapshot->facts = std::move(facts);
    snapshot->marks = layout::splitMarks(*picture->graph->graph, *picture->layout, snapshot->facts);
    return snapshot;
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

SplitMarksSnapshotPtr markSplit(const LayoutSnapshotPtr& picture, const PartitionSnapshotPtr& split) {
    return markedWith(picture, splitFacts(*picture->graph->graph, *split), split->choices, split);
}

SplitMarksSnapshotPtr tryMarkLogged(const LayoutSnapshotPtr& picture, const JointInput& input,
                                    const PartitionChoices& choices) {
    return input.answers.halves.empty()
               ? nullptr
               : markedWith(picture,
                            judge::loggedSplitFacts(*picture->graph->graph, *input.answers.halves.front()),
                            choices, nullptr);
}

} // namespace aotscope::session
