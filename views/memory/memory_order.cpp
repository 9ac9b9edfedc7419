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

std::vector<MemoryOrder> memoryOrders(const session::StepSnapshotPtr& step) {
    std::vector<MemoryOrder> orders;
    if (!step) {
        return orders;
    }
    orders.push_back(
        {MemoryOrder::Kind::Current, step->profile, step->partition.forward, step->partition.backward});
    if (step->loggedProfile && step->loggedForward && step->loggedBackward) {
        orders.push_back({MemoryOrder::Kind::Logged, step->loggedProfile, step->loggedForward->graph,
                          step->loggedBackward->graph});
    }
    orders.push_back({MemoryOrder::Kind::Eager, step->eagerProfile, step->joint->graph, step->joint->graph});
    return orders;
}

} // namespace aotscope::views
