#pragma once

#include "aot/cache_outcome.h"
#include "aot/retrace.h"
#include "aot/versions/rules_choice.h"
#include "contract/number_comparison.h"
#include "contract/retrace_target.h"

#include "base/describe.h"
#include "base/verdict.h"
#include "ir/compare/first_difference.h"
#include "ir/compare/graph_diff.h"
#include "load/wrapper_sources.h"
#include "passes/graph_warnings.h"
#include "passes/partition.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::session {

/// A stage from the program to the forward that runs (RetraceOptions::stages).
struct RetraceStage {
    /// "dynamo", "resolved", "functional", "decomposed", "joint"; where there is a backward "forward", and
    /// "hooks" if saved-tensors hooks are inlined into it.
    std::string name;
    /// Can be loaded and compared by its reference like a logged graph. Null if there is none; see `note`.
    GraphSnapshotPtr graph;
    /// Why there is no graph; empty if there is one.
    std::string note = {};
    /// Compared with the previous stage that has a graph; null for the first stage.
    std::shared_ptr<const ir::GraphDiff> diff = nullptr;
    /// Number of nodes that it adds, changes and removes.
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t removed = 0;

    [[nodiscard]] std::size_t changes() const { return added + changed + removed; }
};

/// The numbers of the traced graph compared with those of its program run as eager would.
struct EagerComparison {
    /// Why nothing was compared; empty if it was.
    std::string skipped;
    /// A reason why the numbers may differ although the graph is right, known beforehand; mostly empty.
    std::string caution;
    /// The value at each position of the comparison: "PlainAOTOutput(idx=0)".
    std::vector<std::string> names;
    NumberComparison numbers;
};

/// One of several inputs that share memory.
struct SharedInput {
    /// Index among the program's placeholders.
    std::size_t index = 0;
    std::string name;
    /// The range of elements of the storage that it spans, end exclusive; nothing if a size is symbolic.
    std::optional<std::pair<std::int64_t, std::int64_t>> elements = {};
    /// Index of the first earlier input with the same elements, sizes and strides: the same tensor passed
    /// twice, or an equal view. Nothing if there is none.
    std::optional<std::size_t> sameAs = {};
};
AOTSCOPE_MEMBERS(SharedInput, index, name, elements, sameAs)

struct SharedMemory {
    /// At least two, in the program's order.
    std::vector<SharedInput> inputs;
    /// The traced graph's input that replaces them as synthetic base; empty if they needed none.
    std::string base = {};
};
AOTSCOPE_MEMBERS(SharedMemory, inputs, base)

/// A re-traced compile, compared with PyTorch's.
struct RetraceSnapshot {
    std::uint32_t log = 0;
    RetraceTarget target;
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    /// On the graph; the metadata has its own list of differences. "not comparable" if the file does not have
    /// PyTorch's graph or too little to make one here, "not supported" if it cannot be traced.
    base::Verdict verdict;
    /// Whose rules applied; nothing: nothing could be traced.
    std::optional<aot::RulesChoice> rules = {};
    /// The options it was traced with; nothing: nothing could be traced.
    std::optional<aot::FunctorchConfig> functorch = {};
    /// Null if the file has none or it could not be read.
    GraphSnapshotPtr program;
    /// The traced joint or inference graph; null if the trace failed. Can be loaded and compared by its
    /// reference like a logged graph.
    GraphSnapshotPtr made;
    GraphSnapshotPtr logged;
    /// The path taken, metadata, notes; nothing if the trace failed.
    std::optional<aot::RetraceResult> result;
    /// The compile with its halves, into which the program's saved-tensors hooks are inlined. Null: it has
    /// none, or they could not be inlined (a note says why).
    std::shared_ptr<const aot::CompiledFunction> hooked = {};
    /// Groups of the program's inputs that share memory.
    std::vector<SharedMemory> sharedInputs = {};
    /// Where the graphs differ: left is our graph, right is PyTorch's.
    std::optional<ir::FirstDifference> difference;
    /// Number of nodes of `logged` before the first difference.
    std::size_t agreeingNodes = 0;
    /// The logged metadata; nothing if none is logged or it could not be read (a note says so).
    std::optional<ir::ViewAndMutationMeta> loggedMetadata;
    /// The logged metadata where nothing is compared: the compile could not be traced, or the difference may
    /// come from an option that is not followed or not in the log (a note says so). It is shown.
    std::optional<ir::ViewAndMutationMeta> untracedMetadata = {};
    /// Differences between our metadata and the logged metadata, one line each.
    std::vector<std::string> metadataDifferences;
    /// Logged fields that are not among those compared, by name or path.
    std::vector<std::string> metadataNotCompared = {};
    /// The code that PyTorch generated for the wrappers, as logged (torch 2.15); aot::sourceSections tells
    /// which belong to a wrapper of `result`.
    std::vector<load::WrapperSource> wrapperSources = {};
    /// The file does not say whether grad mode was on, so on was assumed.
    bool isGradModeAssumed = false;
    /// What the cache of compiled functions did; nothing: the re-trace did not use it.
    std::optional<aot::CacheOutcome> cache = {};
    /// In order; empty unless requested, and if nothing was traced.
    std::vector<RetraceStage> stages = {};
    /// Nothing unless requested.
    std::optional<EagerComparison> eager = {};
    /// What the program shows beside the graph that was traced from it.
    std::vector<passes::GraphWarning> warnings = {};
    /// What a person needs to judge the comparison.
    std::vector<std::string> notes;
    std::optional<base::Error> error;
};
using RetraceSnapshotPtr = std::shared_ptr<const RetraceSnapshot>;

/// The index of a graph among the stages; nothing if it is not one of them.
[[nodiscard]] std::optional<std::size_t> stageOf(const RetraceSnapshot& retraced,
                                                 const ArtifactReference& graph);
/// The node in stage `to` that corresponds to a node in stage `from`; invalid if none does. Both stages must
/// have a graph.
[[nodiscard]] ir::NodeId nodeInStage(const RetraceSnapshot& retraced, std::size_t from, ir::NodeId node,
                                     std::size_t to);

/// Whether there is a traced graph, but the file does not have PyTorch's.
[[nodiscard]] bool hasNothingToCompare(const RetraceSnapshot& snapshot);

} // namespace aotscope::session
