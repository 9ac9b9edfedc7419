#pragma once

#include "contract/snapshots.h"

#include "kernels/fusion_plan.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What became of the fused kernels of a graph: which nodes they compute, and whether they compute the same.
namespace aotscope::session {

/// The kernel of a group beside ATen's results for the same inputs.
struct KernelVerdict {
    /// The kernel's name, text and place in the graph.
    std::string name;
    std::string source;
    kernels::KernelKind kind = kernels::KernelKind::Pointwise;
    kernels::KernelLaunch launch;
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    /// Names of the nodes that it computes, in program order, views that it folds among them.
    std::vector<std::string> nodes;
    /// Whether every result is as near as its dtype lets expect.
    bool agrees = false;
    /// For the result that is farthest off, relative to what is allowed: the largest difference of two
    /// elements, and the largest that counts as equal. Infinite where only one is NaN.
    double error = 0;
    double allowed = 0;
    /// Whether all results are the same to the last bit.
    bool identical = false;
    /// "mul_2: 0.5 in place of 0.25 at element 7"; empty when it agrees.
    std::string difference;
    /// Which result is further off than `allowed` and yet right, and why; empty: none.
    std::string explained;
    /// Why it was not compared (the compiler's message, …); empty: it was.
    std::string failure;
};
AOTSCOPE_MEMBERS(KernelVerdict, name, source, kind, launch, rows, columns, nodes, agrees, error, allowed,
                 identical, difference, explained, failure)

/// A node and what became of it.
struct KernelNode {
    std::string node;
    std::string target;
    kernels::NodeFateKind kind = kernels::NodeFateKind::NoKernel;
    /// The name of its kernel; empty: none.
    std::string kernel;
    std::string reason;
};
AOTSCOPE_MEMBERS(KernelNode, node, target, kind, kernel, reason)

/// The whole graph run with its kernels in place, beside the run without.
struct FusedRunVerdict {
    bool agrees = false;
    /// The largest distance of an output, or of an input that the graph writes to, as a fraction of its
    /// largest magnitude, and what is allowed of it.
    double distance = 0;
    double allowed = 0;
    /// Which value differs; empty: none.
    std::string difference;
    /// Which value is further off than `allowed` and yet right, and why; empty: none.
    std::string explained;
    /// Why it could not be run; empty: it was.
    std::string failure;
};
AOTSCOPE_MEMBERS(FusedRunVerdict, agrees, distance, allowed, difference, explained, failure)

struct KernelCheck {
    /// "LibTorch 2.15.0 (CPU)", and the compiler that compiled the kernels.
    std::string backend;
    std::string compiler;
    std::vector<KernelVerdict> kernels;
    /// All nodes that are calls, in program order.
    std::vector<KernelNode> nodes;
    kernels::FusionCounts counts;
    FusedRunVerdict wholeRun;
    std::vector<std::string> notes;
    double compileSeconds = 0;
    /// Why the graph could not be run, so that nothing was compared.
    std::optional<base::Error> error;

    [[nodiscard]] std::size_t differing() const {
        std::size_t count = 0;
        for (const KernelVerdict& kernel : kernels) {
            count += kernel.agrees ? 0 : 1;
        }
        return count;
    }
    /// Whether nothing is different from the run without kernels.
    [[nodiscard]] bool agrees() const { return !error && differing() == 0 && wholeRun.agrees; }
};
AOTSCOPE_MEMBERS(KernelCheck, backend, compiler, kernels, nodes, counts, wholeRun, notes, compileSeconds,
                 error)

/// A check of one graph of an open file.
struct KernelCheckSnapshot {
    GraphSnapshotPtr graph;
    KernelCheck check;
};
using KernelCheckSnapshotPtr = std::shared_ptr<const KernelCheckSnapshot>;

/// Which nodes of a graph become one kernel each, with the kernels' texts.
struct KernelPlanSnapshot {
    GraphSnapshotPtr graph;
    /// The values of symbols that the kernels are written for; others have the graph's hints.
    ir::SymbolBindings symbols;
    kernels::FusionPlan plan;
    /// Which kernel a person who goes through the graph is in at each node.
    kernels::KernelOfNode kernelOf = {};
};
using KernelPlanSnapshotPtr = std::shared_ptr<const KernelPlanSnapshot>;

} // namespace aotscope::session
