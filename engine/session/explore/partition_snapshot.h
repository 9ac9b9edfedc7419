#pragma once

#include "session/snapshots.h"

#include "memory/memory_profile.h"
#include "passes/alternative.h"
#include "passes/partition.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A training step as a person looks at it: the joint graph split with their choices, why each value is
/// saved, and the memory that follows, beside what PyTorch made and what eager would have needed.
namespace aotscope::session {

/// What becomes of donated buffers: saved values whose memory nobody but the backward holds.
enum class DonatedBuffers : std::uint8_t {
    /// Freed after their last use, as when the graphs run node by node.
    Freed,
    /// Taken over by results, as memory::ProfileOptions::writesOver says.
    Reused,
};

/// What a budget takes the cost of computing a value again from: activation_memory_budget_runtime_estimator.
enum class RuntimeSource : std::uint8_t {
    Flops,
    /// Every node costs the same.
    Testing,
    /// The time each node takes here: the joint graph is run for it, on made-up inputs.
    Profile,
};

/// How the partitioner of a compile is known.
enum class PartitionerSource : std::uint8_t {
    /// A person chose it, or the graph that was asked for is of a file that names it.
    Chosen,
    /// The log names the backend, whose partitioner it is.
    Backend,
    /// The log names no backend: it is the one that PyTorch's own take.
    Assumed,
    /// The logged halves show it: only that partitioner gives them. That the halves made here equal them is
    /// then no proof that it was the right one.
    LoggedHalves,
};

/// "chosen", "backend", "assumed", "logged halves"
[[nodiscard]] std::string_view partitionerSourceName(PartitionerSource source);

/// What a person decides about a partition; equal choices give equal partitions.
struct PartitionChoices {
    /// Nothing: that of the backend which the log names, else min-cut, or the one that the logged halves
    /// show.
    std::optional<passes::Partitioner> partitioner = {};
    /// passes::PartitionOptions::forwardOutputs
    std::optional<std::size_t> forwardOutputs = {};
    /// activation_memory_budget, 0 to 1
    double memoryBudget = 1.0;
    passes::BudgetSolver solver = passes::BudgetSolver::Dp;
    RuntimeSource runtime = RuntimeSource::Flops;
    passes::RecomputeBans bans = {};
    std::vector<passes::NodeChoice> nodes = {};
    memory::Rounding rounding = memory::Rounding::Exact;
    DonatedBuffers donated = DonatedBuffers::Freed;
    friend bool operator==(const PartitionChoices&, const PartitionChoices&) = default;
};

/// One saved value, as a row of a table.
struct SavedTensor {
    /// In `PartitionSnapshot::partition.joint`.
    ir::NodeId node;
    std::string name;
    std::int64_t bytes = 0;
    std::string dtype;
    /// "[8, 128, s77]"; a symbolic integer: empty.
    std::string shape;
    /// passes::decisionText
    std::string reason;
    std::string module;
    /// "model.py:41"; empty: unknown.
    std::string source;
    /// Positions on the time line of PartitionSnapshot::profile.
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    /// Of the bytes alive at the training step's peak, 0 to 1; 0: not alive then. Values that share memory
    /// (views) have the share of what they lie in.
    double shareOfPeak = 0;
    memory::Category category = memory::Category::SavedActivation;
};

/// A value that the backward computes again.
struct RecomputedValue {
    /// In `PartitionSnapshot::partition.joint`.
    ir::NodeId node;
    std::string name;
    /// What is not kept from forward to backward because of it.
    std::int64_t bytes = 0;
    /// What computing it again costs.
    double flops = 0;
    std::string reason;
    std::string module;
    /// "model.py:41"; empty: unknown.
    std::string source;
    /// Position of its copy in the backward graph, from 0.
    std::size_t position = 0;
};

using MemoryProfilePtr = std::shared_ptr<const memory::MemoryProfile>;

struct PartitionSnapshot {
    GraphSnapshotPtr joint;
    PartitionChoices choices;
    /// As the choices led to: with the partitioner that was taken.
    passes::PartitionOptions options;
    PartitionerSource partitionerSource = PartitionerSource::Assumed;
    passes::Partition partition;
    /// Names of the halves, by which LoadGraph, LayOutGraph, CompareGraphs and RunGraph know them until the
    /// joint graph is split again or its log is closed.
    ArtifactReference forward;
    ArtifactReference backward;
    /// Never null.
    MemoryProfilePtr profile;
    std::vector<SavedTensor> saved;
    std::vector<RecomputedValue> recomputed;
    std::int64_t savedBytes = 0;
    double recomputedFlops = 0;
    /// The halves in the file and their memory; null where it has none.
    GraphSnapshotPtr loggedForward;
    GraphSnapshotPtr loggedBackward;
    MemoryProfilePtr loggedProfile;
    /// The joint graph uncut: what eager would have needed. Never null; see MemoryProfile::approximations.
    MemoryProfilePtr eagerProfile;
    /// Where the halves part from the logged ones, one line each; nothing: there is nothing to compare with,
    /// empty: equal.
    std::optional<std::vector<std::string>> differences;
    /// The same of what the partition adds to AOTAutograd's metadata: how many symbols are saved, which
    /// inputs of the backward are donated. Nothing: it is not logged.
    std::optional<std::vector<std::string>> metadataDifferences;
    /// What a person must know to judge it.
    std::vector<std::string> notes;
};
using PartitionSnapshotPtr = std::shared_ptr<const PartitionSnapshot>;

/// What each activation-memory budget leads to, for one joint graph.
struct BudgetSweepPoint {
    double budget = 0;
    std::int64_t savedBytes = 0;
    /// Predicted, of the whole training step, and of its intermediates.
    std::int64_t peakBytes = 0;
    std::int64_t intermediatePeakBytes = 0;
    double recomputedFlops = 0;
    std::size_t saved = 0;
    std::size_t recomputed = 0;
    /// passes::BudgetReport::stage
    std::string stage;
};
struct BudgetSweepSnapshot {
    ArtifactReference joint;
    PartitionChoices choices;
    std::vector<BudgetSweepPoint> points;
};
using BudgetSweepSnapshotPtr = std::shared_ptr<const BudgetSweepSnapshot>;

/// What would happen if one node were treated the other way.
struct NodeAlternativeSnapshot {
    ArtifactReference joint;
    PartitionChoices choices;
    std::string node;
    /// Nothing: `error` says why there is no other way.
    std::optional<passes::Alternative> alternative;
    std::optional<base::Error> error;
};
using NodeAlternativeSnapshotPtr = std::shared_ptr<const NodeAlternativeSnapshot>;

} // namespace aotscope::session
