#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aotscope::passes {

/// The passes between a joint graph and its halves, in the order in which they run.
enum class PassKind : std::uint8_t {
    /// passes/tensorify_floats.h
    Tensorify,
    /// passes/subgraph_partition.h
    Subgraphs,
    /// passes/merge_equal.h, the min-cut partitioner's alone
    DeadCode,
    MergeEqual,
    /// passes/cut_joint.h
    Cut,
    /// passes/functional_rng.h
    Rng,
    /// Brings the nodes of both halves into their final order.
    Order,
    /// passes/unlift_tokens.h
    EffectTokens,
    /// passes/inline_hooks.h
    Hooks,
};
AOTSCOPE_WORDS(PassKind, "tensorify", "subgraphs", "dead-code", "merge-equal", "cut", "rng", "order",
               "effect-tokens", "hooks")

/// "joint" up to the cut, then "forward" and "backward".
struct PassGraph {
    std::string name;
    ir::GraphPtr graph;
};

/// What a pass left.
struct PassRun {
    PassKind pass = PassKind::Tensorify;
    std::chrono::nanoseconds time{};
    std::vector<PassGraph> graphs;
    /// Whether they differ from those before the pass.
    bool hasChanged = false;
};

/// Called after each pass. Null: no observer.
using PassObserver = std::function<void(const PassRun&)>;

} // namespace aotscope::passes
