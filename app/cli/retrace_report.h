#pragma once

#include "answer.h"
#include "compile_answer.h"
#include "retrace_numbers.h"
#include "selection.h"
#include "wrapper_report.h"

#include "contract/retrace_snapshot.h"

#include "aot/graph_signature.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// "mlp.log:0/0"
[[nodiscard]] std::string targetTitle(const TargetChoice& choice);
/// The function traced again. Throws Failure.
[[nodiscard]] session::RetraceSnapshotPtr retraced(Program& program, const TargetChoice& choice,
                                                   const session::RetraceOptions& options);

/// A compile with its halves; where its joint graph cannot be partitioned, without them, and why.
struct SplitFunction {
    aot::CompiledFunction function;
    std::optional<base::Error> notSplit = {};
};
[[nodiscard]] SplitFunction splitOrWhole(Program& program, const session::RetraceSnapshot& snapshot);

/// "joint", "inference" or "export", from the logged graph if there is one, else from the traced one; empty:
/// neither.
[[nodiscard]] std::string graphKind(const session::RetraceSnapshot& run);

/// "mlp.log:0/0 joint"
[[nodiscard]] std::string titleWithKind(const std::string& title, const session::RetraceSnapshot& run);
/// Throws Failure if nothing can be traced because there is no backend.
void requireBackend(const session::RetraceSnapshot& snapshot);

/// "There is nothing to trace again"
[[nodiscard]] Failure nothingToTrace();

/// A re-traced compile and its name for people.
struct RetraceRun {
    /// "mlp.log:0/0"
    std::string title;
    session::RetraceSnapshotPtr snapshot;
    /// From a golden file, if requested.
    std::vector<NumberRun> numbers = {};
    /// Set for an exported graph.
    std::optional<base::Result<aot::GraphSignature>> signature = {};
};

struct StageAnswer {
    std::string stage;
    std::size_t changes = 0;
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t removed = 0;
    std::optional<std::size_t> nodes;
    std::string note;
};
AOTSCOPE_MEMBERS(StageAnswer, stage, changes, added, changed, removed, nodes, note)

/// A re-traced compile as `retrace` answers. The left side of the difference is ours, the right PyTorch's.
struct RetracedCompile {
    std::string graph;
    std::string name;
    std::string kind;
    base::Verdict verdict;
    std::string program;
    std::optional<aot::RulesChoice> rules = {};
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    std::string reason = {};
    std::optional<std::size_t> nodes;
    std::optional<std::size_t> loggedNodes;
    std::optional<std::size_t> agreeingNodes = {};
    std::optional<ir::FirstDifference> difference;
    std::optional<bool> metadataEqual = {};
    std::vector<std::string> metadataDifferences;
    std::vector<std::string> metadataNotCompared;
    std::map<std::string, std::string> loggedOtherFields;
    bool gradModeAssumed = false;
    std::optional<std::vector<aot::RetraceGuard>> guards = {};
    std::optional<std::vector<WrapperAnswer>> wrappers = {};
    std::vector<session::SharedMemory> sharedInputs;
    std::optional<aot::CacheOutcome> cache;
    std::vector<StageAnswer> stages = {};
    /// The signature of an exported graph.
    Json signature = {};
    std::vector<NumberAnswer> numbers;
    std::optional<std::int64_t> nanoseconds = {};
    std::vector<std::string> notes;
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(RetracedCompile, graph, name, kind, verdict, program, rules, decompositions, reason, nodes,
                 loggedNodes, agreeingNodes, difference, metadataEqual, metadataDifferences,
                 metadataNotCompared, loggedOtherFields, gradModeAssumed, guards, wrappers, sharedInputs,
                 cache, stages, signature, numbers, nanoseconds, notes, error)

/// "mlp.log:0/0  joint  equal", followed by lines on what differs or cannot be traced.
[[nodiscard]] std::string retraceText(const RetraceRun& run);
/// What is behind the verdicts on graph and metadata: compared, not compared, configuration.
[[nodiscard]] std::string explainedText(const RetraceRun& run);
/// What the cache of compiled functions did, and why; empty: the re-trace did not use it.
[[nodiscard]] std::string cacheText(const session::RetraceSnapshot& snapshot);
[[nodiscard]] std::string cacheText(const aot::CacheOutcome& outcome, const std::string& name = "cache");
/// One line per guard: the expression, the node that needs it, the source line.
[[nodiscard]] std::string guardsText(const std::vector<aot::RetraceGuard>& guards);
/// One line per requested stage: its nodes, and how many the stage changed.
[[nodiscard]] std::string stagesText(const session::RetraceSnapshot& snapshot);
/// The signature of an exported graph as PyTorch prints it, or why there is none.
[[nodiscard]] std::string signatureText(const RetraceRun& run);
/// The metadata that the file has, compared or not; null: none.
[[nodiscard]] const ir::ViewAndMutationMeta* loggedMetadata(const session::RetraceSnapshot& snapshot);
/// Its fields that are kept as text.
[[nodiscard]] std::map<std::string, std::string> otherFields(const session::RetraceSnapshot& snapshot);
/// "model.py:41 in forward: x = self.fc(x)"
[[nodiscard]] std::string placeText(const ir::SourceLocation& source);
/// How many re-traces came out how.
struct RetraceTotals {
    std::size_t metadataEqual = 0;
    std::size_t metadata = 0;
    /// Traces that assumed grad mode on, because the file does not say.
    std::size_t gradModeAssumed = 0;
    /// Runs with a logged graph to compare with.
    std::size_t graphs = 0;
    std::size_t equal = 0;
    std::size_t equalUpToNames = 0;
    std::size_t different = 0;
    std::size_t notTraced = 0;
    /// Number of nodes in the logged graphs.
    std::size_t nodes = 0;
    std::size_t equalNodes = 0;
};
AOTSCOPE_MEMBERS(RetraceTotals, metadataEqual, metadata, gradModeAssumed, graphs, equal, equalUpToNames,
                 different, notTraced, nodes, equalNodes)

struct RetraceAnswer : RetraceTotals {
    std::vector<RetracedCompile> compiles = {};
    /// Files that could not be opened.
    std::optional<base::Error> error = {};
};
AOTSCOPE_MORE_MEMBERS(RetraceAnswer, RetraceTotals, compiles, error)
AOTSCOPE_ANSWER(RetraceAnswer, "aotscope.retrace/4")

[[nodiscard]] RetraceAnswer retraceAnswer(const std::vector<RetraceRun>& runs,
                                          const std::optional<base::Error>& error);

[[nodiscard]] RetraceTotals totalsOf(const std::vector<RetraceRun>& runs);
/// The share of equal graphs and of equal nodes.
[[nodiscard]] std::string retraceTotals(const std::vector<RetraceRun>& runs);
/// Whether every logged graph is equal (up to names), with its metadata, and no trace failed.
[[nodiscard]] bool allEqual(const std::vector<RetraceRun>& runs);

} // namespace aotscope::cli
