#pragma once

#include "passes/halves.h"
#include "passes/joint_program.h"
#include "passes/merge_equal.h"
#include "passes/partition.h"
#include "passes/pass_run.h"

#include "ir/verifier.h"

#include "base/progress.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <span>

namespace aotscope::passes {

/// A joint graph on its way into its halves: what each pass takes and returns.
struct Splitting {
    /// Passes set the partitioner and the memory budget that hold in the end.
    PartitionOptions options;
    /// The halves are null before the pass "rng" or "order" builds them.
    Partition partition;
    /// The pass "dead-code" sets the joint graph's flags, and with "merge-equal" what remains of it.
    NodeFlags flags = {};
    Cleaned cleaned = {};
    /// What remains of the joint graph as flat arrays, from the pass "cut" on.
    std::shared_ptr<JointProgram> program = nullptr;
    /// From the pass "cut" on.
    std::optional<Halves> halves = {};
    /// The backward's nodes are ordered as autograd would run them.
    bool isBackwardReordered = false;
};

struct Pass {
    PassKind kind = PassKind::Tensorify;
    base::Result<Splitting> (*run)(Splitting) = nullptr;
};

/// The passes that split a joint graph.
[[nodiscard]] std::span<const Pass> partitionPasses();

/// Runs passes in order and reports each as progress. With `verify` what they leave is verified.
/// Errors: those of the passes; passes.broken_graph; session.canceled.
[[nodiscard]] base::Result<Splitting> runPasses(std::span<const Pass> passes, Splitting split,
                                                base::Progress progress, const PassObserver& observer,
                                                bool verify = ir::verifiesGraphs());

/// The halves of a partition as an observer sees them.
[[nodiscard]] std::vector<PassGraph> halvesOf(const Partition& partition);

/// A half as it was extracted, its nodes in the joint graph's order.
[[nodiscard]] ir::GraphPtr extractedHalf(const JointProgram& program, const ExtractedGraph& half);

} // namespace aotscope::passes
