#pragma once

#include "aot/compiled_function.h"
#include "aot/functorch_config.h"
#include "aot/versions/rules_choice.h"
#include "contract/run_time_hooks.h"
#include "contract/snapshots.h"

#include "hooks/hook_plan.h"
#include "hooks/inline_plan.h"

#include "base/describe.h"
#include "base/verdict.h"
#include "memory/memory_profile.h"
#include "passes/alternative.h"
#include "passes/graph_warnings.h"
#include "passes/partition.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The joint graph of a training step, partitioned with a person's choices: why each value is saved, the
/// predicted memory, and PyTorch's partition and eager for comparison.
namespace aotscope::session {

/// How predicted memory treats donated buffers: saved values that only the backward holds.
enum class DonatedBuffers : std::uint8_t {
    /// Freed after their last use, as in a node-by-node run.
    Freed,
    /// Overwritten by results, as memory::ProfileOptions::writesOver says.
    Reused,
};

/// The cost of recomputing a value under a memory budget. Follows torch 2.11,
/// torch/_functorch/partitioners.py: estimate_runtime (activation_memory_budget_runtime_estimator).
enum class RuntimeSource : std::uint8_t {
    Flops,
    /// Every node costs the same.
    Testing,
    /// Measured here, by running the joint graph on generated inputs.
    Profile,
};
AOTSCOPE_WORDS(RuntimeSource, "flops", "testing", "profile")

/// How the partitioner of a compile was found.
enum class PartitionerSource : std::uint8_t {
    /// Chosen by a person, or named by the golden file that the graph is from.
    Chosen,
    /// The log shows the backend, and with it the partitioner.
    Backend,
    /// The log does not show the backend: the partitioner of PyTorch's own backends, whatever the logged
    /// halves are.
    Assumed,
};
AOTSCOPE_WORDS(PartitionerSource, "chosen", "backend", "assumed")

/// A person's choices for a partition. Equal choices give equal partitions.
struct PartitionChoices {
    /// Whose rules apply; nothing: those of the joint graph's re-trace, else of the release that wrote the
    /// file.
    std::optional<aot::TorchVersion> torch = {};
    /// Nothing: min-cut, which is that of Inductor and of PyTorch's other backends.
    std::optional<passes::Partitioner> partitioner = {};
    /// passes::PartitionOptions::forwardOutputs
    std::optional<std::size_t> forwardOutputs = {};
    /// Options of PyTorch that override those of the joint graph.
    std::vector<aot::ConfigSetting> config = {};
    // What follows goes before `config`; nothing: as the configuration says.
    /// activation_memory_budget, 0 to 1; goes before the program's own.
    std::optional<double> memoryBudget = {};
    std::optional<passes::BudgetSolver> solver = {};
    std::optional<RuntimeSource> runtime = {};
    std::vector<passes::NodeChoice> nodes = {};
    memory::Rounding rounding = memory::Rounding::Exact;
    DonatedBuffers donated = DonatedBuffers::Freed;
    /// Saved-tensors hooks to inline; nothing: those that were traced with the program, if any.
    std::optional<hooks::HookPlan> hooks = {};
    friend bool operator==(const PartitionChoices&, const PartitionChoices&) = default;
};

/// A value that a partition decides on, as a table row.
struct PartitionRow {
    /// A node of `PartitionSnapshot::partition.joint`.
    ir::NodeId node;
    std::string name;
    std::int64_t bytes = 0;
    /// passes::decisionText
    std::string reason;
    std::string module;
    /// "model.py:41"; empty: unknown.
    std::string source;
};

struct SavedTensor : PartitionRow {
    std::string dtype;
    /// "[8, 128, s77]"; empty for a symbolic integer.
    std::string shape;
    /// The operator that makes it ("aten.mm.default"); empty: an input.
    std::string op;
    /// First and last position on the time line of PartitionSnapshot::profile.
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    /// Fraction, 0 to 1, of the bytes alive at the training step's peak; 0 if not alive there. A view has the
    /// share of the storage it lies in.
    double shareOfPeak = 0;
    memory::Category category = memory::Category::SavedActivation;
};

/// A value that the backward recomputes. `bytes` are not saved because of it.
struct RecomputedValue : PartitionRow {
    /// Cost of recomputing it.
    double flops = 0;
    /// Position of its copy in the backward graph, from 0.
    std::size_t position = 0;
};

using MemoryProfilePtr = std::shared_ptr<const memory::MemoryProfile>;

/// A value that the forward saves in place of a tensor that a hook packed.
struct PackedValue {
    std::string name;
    std::string dtype;
    /// "[8, 128, s77]"; empty for a symbolic integer.
    std::string shape;
    std::int64_t bytes = 0;
};
AOTSCOPE_MEMBERS(PackedValue, name, dtype, shape, bytes)

/// A saved tensor and its hook.
struct HookedTensor {
    std::string saved;
    /// The hook that packs it; empty: it is saved as it is.
    std::string hook;
    /// Why there is none, in words; empty if there is one or the choices have none for it.
    std::string why;
    std::int64_t bytes = 0;
    /// Bytes of what is saved in its place; without a hook the same as `bytes`.
    std::int64_t storedBytes = 0;
    std::vector<PackedValue> packed;
    /// The hook's graphs as they were traced for the tensor, by name for LoadGraph; unset without a hook.
    std::optional<ArtifactReference> pack;
    std::optional<ArtifactReference> unpack;
};
AOTSCOPE_MEMBERS(HookedTensor, saved, hook, why, bytes, storedBytes, packed, pack, unpack)

/// What saved-tensors hooks do to a partition.
struct InlinedHooks {
    passes::HookFilter filter = passes::HookFilter::Donated;
    /// In the order in which the forward saves them without hooks.
    std::vector<HookedTensor> tensors;
    /// Hooks that could not be applied; the compile continues without them.
    std::vector<hooks::BrokenHook> broken;
    /// The halves without hooks, by name, and their memory.
    ArtifactReference forwardBefore;
    ArtifactReference backwardBefore;
    MemoryProfilePtr profileBefore;
    std::int64_t bytesBefore = 0;
    std::int64_t bytesAfter = 0;
};

/// A partition beside the logged halves of its joint graph; nothing and null if none are logged.
struct HalvesComparison {
    /// The logged halves, with hooks inlined if PartitionSnapshot::function has them.
    GraphSnapshotPtr loggedForward = nullptr;
    GraphSnapshotPtr loggedBackward = nullptr;
    /// PyTorch inlined hooks, and PartitionSnapshot::function has none.
    bool lacksHooks = false;
    /// Before hooks and with them, one line each; empty: equal.
    std::optional<std::vector<std::string>> differences = {};
    /// What is saved (set, bytes, order), and the graphs.
    std::optional<base::Verdict> savedVerdict = {};
    std::optional<base::Verdict> graphsVerdict = {};
    /// Differences from the logged metadata in what the partition adds: saved symbols, donated inputs of the
    /// backward. Nothing also if it belongs to the halves of another partitioner.
    std::optional<std::vector<std::string>> metadataDifferences = {};
};

struct PartitionSnapshot : HalvesComparison {
    GraphSnapshotPtr joint;
    PartitionChoices choices;
    /// Options derived from the choices, with the partitioner that was used.
    passes::PartitionOptions options;
    PartitionerSource partitionerSource = PartitionerSource::Assumed;
    aot::RulesChoice rules = {};
    /// The configuration with the choices.
    aot::FunctorchConfig config = {};
    /// What the choices gave, before saved-tensors hooks were inlined: that of `function` where it has none.
    /// Never null.
    std::shared_ptr<const passes::Partition> partition;
    /// The compile with its halves; of a joint graph that was not traced here only the graphs.
    aot::CompiledFunction function;
    /// Names of the halves in `function` for LoadGraph, LayOutGraph, CompareGraphs and RunGraph. They are
    /// valid until the joint graph is partitioned again or its log is closed.
    ArtifactReference forward;
    ArtifactReference backward;
    /// Memory of the halves in `function`. Never null.
    MemoryProfilePtr profile;
    std::vector<SavedTensor> saved;
    std::vector<RecomputedValue> recomputed;
    /// Without hooks.
    std::int64_t savedBytes = 0;
    double recomputedFlops = 0;
    /// Nothing if no hooks are inlined and the choices have none.
    std::optional<InlinedHooks> hooks = {};
    /// Hooks that are called when the logged backward runs under compiled autograd, and are in no graph here.
    /// One for each graph of compiled autograd that runs it.
    std::vector<CompiledAutogradHooks> runTimeHooks = {};
    /// Memory of the logged halves; null if none are logged.
    MemoryProfilePtr loggedProfile;
    /// Memory of eager for the same joint graph. Never null; see MemoryProfile::approximations.
    MemoryProfilePtr eagerProfile;
    /// As JointInput::isJointRewritten.
    bool isJointRewritten = false;
    /// Why a joint graph that was traced here cannot be held against the logged one, with the word for it
    /// (NotComparable, NotSupported). Nothing: it can be, or it is the logged one.
    std::optional<base::Verdict> jointDoubt;
    /// What the halves show, before hooks are inlined.
    std::vector<passes::GraphWarning> warnings = {};
    /// What a person needs to judge the partition.
    std::vector<std::string> notes;
};
using PartitionSnapshotPtr = std::shared_ptr<const PartitionSnapshot>;

/// "default", "min-cut"
[[nodiscard]] std::string partitionerName(passes::Partitioner partitioner);
/// "default", "min-cut", or "assumed min-cut": the partitioner, as results name it.
[[nodiscard]] std::string partitionerText(const PartitionSnapshot& split);
/// "partitioner = min-cut (assumed)": a line of a verdict's configuration.
[[nodiscard]] std::string partitionerLine(passes::Partitioner partitioner, PartitionerSource source);

/// The partition at one activation-memory budget.
struct BudgetSweepPoint {
    double budget = 0;
    std::int64_t savedBytes = 0;
    /// Predicted peak of the whole training step, and the peak of its intermediates.
    std::int64_t peakBytes = 0;
    std::int64_t intermediatePeakBytes = 0;
    double recomputedFlops = 0;
    std::size_t saved = 0;
    std::size_t recomputed = 0;
    /// passes::BudgetReport::stage
    std::string stage;
};
AOTSCOPE_MEMBERS(BudgetSweepPoint, budget, savedBytes, peakBytes, intermediatePeakBytes, recomputedFlops,
                 saved, recomputed, stage)
struct BudgetSweepSnapshot {
    ArtifactReference joint;
    PartitionChoices choices;
    aot::RulesChoice rules = {};
    aot::FunctorchConfig config = {};
    std::vector<BudgetSweepPoint> points;
};
using BudgetSweepSnapshotPtr = std::shared_ptr<const BudgetSweepSnapshot>;

/// The effect of treating one node the other way.
struct NodeAlternativeSnapshot {
    ArtifactReference joint;
    PartitionChoices choices;
    std::string node;
    /// Nothing if there is no other way; then `error` says why.
    std::optional<passes::Alternative> alternative;
    std::optional<base::Error> error;
};
using NodeAlternativeSnapshotPtr = std::shared_ptr<const NodeAlternativeSnapshot>;

} // namespace aotscope::session
