#include "memory/memory_order.h"

#include "common/format.h"

#include <QObject>

namespace aotscope::views {

QString MemoryOrder::label() const {
    switch (kind) {
    case Kind::Current:
        return QObject::tr("current choices");
    case Kind::Logged:
        return QObject::tr("as logged");
    case Kind::Eager:
        return QObject::tr("eager");
    }
    return {};
}

std::optional<std::string> MemoryOrder::nodeNameAt(std::uint32_t position) const {
    if (position >= profile->nodes.size() || !profile->nodes[position].valid()) {
        return std::nullopt;
    }
    const ir::GraphPtr& graph = position < profile->forwardEnd ? forward : backward;
    const ir::NodeId node = profile->nodes[position];
    return graph && node.index() < graph->idBound() ? std::optional(graph->node(node).name) : std::nullopt;
}

QString MemoryOrder::nodeAt(std::uint32_t position) const {
    if (const auto name = nodeNameAt(position)) {
        return text(*name);
    }
    return position < profile->backwardBegin ? QObject::tr("(loss)") : QObject::tr("(optimizer)");
}

bool MemoryOrder::isOf(const session::TrainingStepSnapshot& run) const {
    const session::GraphSnapshot& ranForward = *run.forward->graph;
    const session::GraphSnapshot& ranBackward = *run.backward->graph;
    if (!halves || ranForward.reference != halves->forward || ranBackward.reference != halves->backward) {
        return false;
    }
    return kind != Kind::Current || (ranForward.graph == forward && ranBackward.graph == backward);
}

MeasuredPtr MemoryOrder::measuredBy(const session::TrainingStepSnapshot& run) const {
    const auto nodesOf = [](const session::RunSnapshot& half) {
        std::vector<memory::MeasuredNode> nodes;
        nodes.reserve(half.nodes.size());
        for (const session::NodeRun& node : half.nodes) {
            nodes.push_back({node.aliveBytes, node.scratchBytes, node.nanoseconds});
        }
        return nodes;
    };
    return std::make_shared<const memory::MeasuredProfile>(
        memory::layAlong(*profile, nodesOf(*run.forward), nodesOf(*run.backward)));
}

std::vector<MemoryOrder> memoryOrders(const session::PartitionSnapshotPtr& split) {
    std::vector<MemoryOrder> orders;
    if (!split) {
        return orders;
    }
    orders.push_back({MemoryOrder::Kind::Current, split->profile, split->function.forward(),
                      split->function.backward(), MemoryOrder::Halves{split->forward, split->backward}});
    if (split->loggedProfile && split->loggedForward && split->loggedBackward) {
        orders.push_back(
            {MemoryOrder::Kind::Logged, split->loggedProfile, split->loggedForward->graph,
             split->loggedBackward->graph,
             MemoryOrder::Halves{split->loggedForward->reference, split->loggedBackward->reference}});
    }
    orders.push_back(
        {MemoryOrder::Kind::Eager, split->eagerProfile, split->joint->graph, split->joint->graph});
    return orders;
}

} // namespace aotscope::views
