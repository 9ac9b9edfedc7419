#pragma once

#include "run/state/frame.h"

#include "contract/snapshots.h"
#include "ir/graph.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace aotscope::torch {

/// Values in place of the results of a custom operator that is not registered in this process. They come from
/// the seed and the logged metadata of `node`, or of the `getitem` nodes that read its results from
/// `firstPart` on. Adds a note to the run and to the node.
[[nodiscard]] c10::IValue standIn(std::string_view target, const Frame& frame, ir::NodeId node,
                                  std::size_t firstPart = 0);

/// Follows stand-in values through the outermost graph, by arguments and by storages, which views share and
/// in-place operators write to. Conservative: it may mark too many nodes, never too few.
class StandInTracker {
public:
    explicit StandInTracker(const ir::Graph& graph);

    /// Call it for every node in program order; returns whether the result is computed, a stand-in, or
    /// derived from one.
    session::RunOrigin finished(ir::NodeId node, const c10::IValue& result, bool stoodIn);
    /// Call it when a storage is freed, because its address may be reused.
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
