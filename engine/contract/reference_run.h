#pragma once

#include "contract/snapshots.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A run of a graph beside a reference: the same graph, or another one with the same names, computed in
/// float64 as exact arithmetic would, from the same inputs.
namespace aotscope::session {

/// The largest difference between two tensors, over all elements.
struct ErrorSize {
    double absolute = 0;
    /// As a fraction of the reference's largest finite magnitude.
    double relative = 0;
    /// In units in the last place of the run's dtype, at each element.
    double ulps = 0;
};
AOTSCOPE_MEMBERS(ErrorSize, absolute, relative, ulps)

enum class NodeVerdict : std::uint8_t {
    /// The node's own error is one that its dtype explains.
    Explained,
    /// It is larger.
    Wrong,
    /// Nothing can be said; NodeError::reason.
    NotChecked
};
AOTSCOPE_WORDS(NodeVerdict, "explained", "wrong", "not checked")

/// How far a value of the run is from the reference, and which part the node itself added.
struct NodeError {
    ir::NodeId node;
    /// Among the tensors that the node returned.
    std::size_t output = 0;
    std::string dtype;
    /// The run's value against the reference's.
    ErrorSize total;
    /// The run's value against the node computed in float64 on the run's own inputs: its rounding.
    ErrorSize own;
    /// The node in float64 on the run's inputs against the reference: what the errors of its inputs explain.
    ErrorSize inherited;
    /// The largest own error, absolute, that the dtype explains at the worst element.
    double allowed = 0;
    NodeVerdict verdict = NodeVerdict::Explained;
    /// Why it was not checked, or what is wrong, in words; else empty.
    std::string reason;
    /// The element whose own error is farthest beyond what is explained, and both its values; no index for a
    /// tensor without elements.
    std::vector<std::int64_t> worstIndex;
    double worstValue = 0;
    double worstExpected = 0;
};
AOTSCOPE_MEMBERS(NodeError, node, output, dtype, total, own, inherited, allowed, verdict, reason, worstIndex,
                 worstValue, worstExpected)

struct ReferenceSnapshot : RunFacts {
    GraphSnapshotPtr graph;
    /// The graph that was computed in float64, if it is another one.
    GraphSnapshotPtr against;
    /// In program order; only tensors and float numbers.
    std::vector<NodeError> nodes;
    /// Index in `nodes` of the first wrong one: the first wrong op.
    std::optional<std::size_t> firstWrong;

    [[nodiscard]] std::size_t count(NodeVerdict verdict) const {
        std::size_t found = 0;
        for (const NodeError& node : nodes) {
            found += node.verdict == verdict ? 1 : 0;
        }
        return found;
    }
};
AOTSCOPE_MORE_MEMBERS(ReferenceSnapshot, RunFacts, graph, against, nodes, firstWrong)
using ReferenceSnapshotPtr = std::shared_ptr<const ReferenceSnapshot>;

} // namespace aotscope::session
