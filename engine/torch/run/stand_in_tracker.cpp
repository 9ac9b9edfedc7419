#include "run/stand_in_tracker.h"

#include "run/value_access.h"

#include "ir/higher_order.h"
#include "ir/operator_name.h"

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

/// "corpus.accum_" and "corpus.accum_.default": a name ending in `_` marks an in-place operator in PyTorch.
bool isNamedInPlace(std::string_view target) {
    return ir::splitTarget(target).name.ends_with('_');
}

} // namespace

StandInTracker::StandInTracker(const ir::Graph& graph)
    : m_graph(graph), m_madeUp(graph.idBound()), m_storages(graph.idBound()) {}

session::RunOrigin StandInTracker::finished(ir::NodeId id, const c10::IValue& result, bool stoodIn) {
    auto& storages = m_storages[id.index()];
    forEachTensor(result, [&storages](const at::Tensor& tensor) {
        if (const c10::StorageImpl* storage = storageIn(tensor)) {
            storages.push_back(storage);
        }
    });
    const bool follows = !stoodIn && followsFromStandIn(id);
    if (!stoodIn && !follows) {
        return session::RunOrigin::Computed;
    }
    m_madeUp[id.index()] = true;
    m_madeUpStorages.insert(storages.begin(), storages.end());
    // An operator without a result is assumed to write to its arguments.
    if (result.isNone() || (stoodIn && isNamedInPlace(m_graph.node(id).target))) {
        for (const ir::NodeId input : m_graph.inputs(id)) {
            const auto& written = m_storages[input.index()];
            m_madeUp[input.index()] = true;
            m_madeUpStorages.insert(written.begin(), written.end());
        }
    }
    return stoodIn ? session::RunOrigin::StandIn : session::RunOrigin::FollowsFromStandIn;
}

bool StandInTracker::followsFromStandIn(ir::NodeId id) const {
    if (isEffectToken(id)) {
        return false;
    }
    return std::ranges::any_of(m_graph.inputs(id), [this](ir::NodeId input) {
        return m_madeUp[input.index()] ||
               std::ranges::any_of(m_storages[input.index()], [this](const c10::StorageImpl* storage) {
                   return m_madeUpStorages.contains(storage);
               });
    });
}

/// The first result of with_effects is a token that orders calls and holds no data.
bool StandInTracker::isEffectToken(ir::NodeId id) const {
    const ir::Node& node = m_graph.node(id);
    if (node.target != "_operator.getitem" || node.args.size() != 2) {
        return false;
    }
    const auto* from = node.args[0].as<ir::NodeId>();
    const auto* index = node.args[1].as<std::int64_t>();
    return from != nullptr && index != nullptr && *index == 0 &&
           ir::isHigherOrder(m_graph.node(*from).target, ir::HigherOrder::WithEffects);
}

} // namespace aotscope::torch
