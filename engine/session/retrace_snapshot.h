#pragma once

#include "aot/retrace.h"
#include "session/number_comparison.h"
#include "session/retrace_target.h"
#include "session/shared_inputs.h"

#include "ir/compare/first_difference.h"
#include "ir/compare/graph_diff.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// What became of the comparison of a graph that was traced here with PyTorch's.
enum class RetraceVerdict : std::uint8_t {
    /// Same nodes, order, arguments, metadata and names.
    Equal,
    /// The same but for names of nodes.
    EqualUpToNames,
    Different,
    /// Traced, and PyTorch's graph is not in the file.
    NothingToCompare,
    /// Not traced: `error` names what cannot be.
    NotSupported,
    /// Not traced for another reason: the file tells too little, LibTorch is missing.
    Failed
};

/// "equal", "equal up to names", "differs", "traced", "not supported", "failed"
[[nodiscard]] std::string_view retraceVerdictName(RetraceVerdict verdict);

/// A stage on the way to the traced graph (RetraceOptions::stages).
struct RetraceStage {
    aot::TraceStageKind kind = aot::TraceStageKind::Program;
    /// Its reference can be loaded and compared like a logged graph's. Null where it could not be made.
    GraphSnapshotPtr graph;
    /// Why not.
    std::string note = {};
    /// What it does to the stage before it that has a graph; null for the first.
    std::shared_ptr<const ir::GraphDiff> diff = nullptr;
    /// How many nodes it adds, changes and takes away.
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t removed = 0;

    [[nodiscard]] std::size_t changes() const { return added + changed + removed; }
};

/// "dynamo", "resolved", "functional", "decomposed", "joint"
[[nodiscard]] std::string_view traceStageName(aot::TraceStageKind kind);

/// The numbers of the traced graph beside those of its program, as eager runs it.
struct EagerComparison {
    /// Why they were not compared; empty: they were.
    std::string skipped;
    /// What alone may make the numbers differ, known before they are compared; mostly empty.
    std::string caution;
    /// What is at each position of the comparison: "PlainAOTOutput(idx=0)".
    std::vector<std::string> names;
    NumberComparison numbers;
};

/// A compile that was made again, beside what PyTorch made.
struct RetraceSnapshot {
    std::uint32_t log = 0;
    RetraceTarget target;
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    RetraceVerdict verdict = RetraceVerdict::Failed;
    /// Null where the file has none, or it could not be read.
    GraphSnapshotPtr program;
    /// The joint or inference graph that was traced; null when it was not. Its reference can be loaded and
    /// compared like a logged graph's.
    GraphSnapshotPtr made;
    GraphSnapshotPtr logged;
    /// The path taken, metadata, notes; nothing when it was not traced.
    std::optional<aot::RetraceResult> result;
    /// The program's inputs that lie in one memory.
    std::vector<SharedMemory> sharedInputs = {};
    /// Where the graphs part: left is made here, right is PyTorch's.
    std::optional<ir::FirstDifference> difference;
    /// Nodes from the start that agree, of `logged`.
    std::size_t agreeingNodes = 0;
    /// Of the logged metadata; nothing: none logged, or it could not be read (then a note says why).
    std::optional<ir::ViewAndMutationMeta> loggedMetadata;
    /// Where the metadata found here parts from the logged, one line each.
    std::vector<std::string> metadataDifferences;
    /// The file does not tell whether gradient mode was on: it was taken to be.
    bool isGradModeAssumed = false;
    /// In order, where they were asked for; empty also where nothing was traced.
    std::vector<RetraceStage> stages = {};
    /// Where it was asked for.
    std::optional<EagerComparison> eager = {};
    /// What a person must know about the comparison.
    std::vector<std::string> notes;
    std::optional<base::Error> error;
};
using RetraceSnapshotPtr = std::shared_ptr<const RetraceSnapshot>;

/// Where a graph is among the stages; nothing where it is none of them.
[[nodiscard]] std::optional<std::size_t> stageOf(const RetraceSnapshot& retraced,
                                                 const ArtifactReference& graph);
/// The node of the stage `to` that stands for a node of the stage `from`; invalid where none does. Both
/// stages have a graph.
[[nodiscard]] ir::NodeId nodeInStage(const RetraceSnapshot& retraced, std::size_t from, ir::NodeId node,
                                     std::size_t to);

/// Compares `made` with `logged` and sets verdict, difference and count. `exact`: source comments,
/// descriptors and the printed text, trailing spaces apart, must be equal too.
void compareRetraced(RetraceSnapshot& snapshot, bool exact);

} // namespace aotscope::session
