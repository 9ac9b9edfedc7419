#pragma once

#include "torch_headers.h"

#include "ir/graph.h"
#include "session/snapshots.h"

#include <unordered_set>
#include <vector>

namespace aotscope::torch {

/// Follows made-up values through the outermost graph: by its arguments, and by the storages that views share
/// and in-place operators write to. Rather marks a node too many than one too few.
class StandInTracker {
public:
    explicit StandInTracker(const ir::Graph& graph);

    /// To be told of every node in program order.
    session::RunOrigin finished(ir::NodeId node, const c10::IValue& result, bool stoodIn);
    /// The storage is gone; its address may come again.
    void freed(const c10::StorageImpl* storage) { m_madeUpStorages.erase(storage); }

private:
    [[nodiscard]] bool followsFromStandIn(ir::NodeId node) const;
    [[nodiscard]] bool isEffectToken(ir::NodeId node) const;

    const ir::Graph& m_graph;
    /// By node index.
    std::vector<bool> m_madeUp;
    std::vector<std::vector<const c10::StorageImpl*>> m_storages;
    std::unordered_set<const c10::StorageImpl*> m_madeUpStorages;
};

} // namespace aotscope::torch
