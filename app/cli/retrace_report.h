#pragma once

#include "answer.h"
#include "retrace_numbers.h"
#include "torch_option.h"
#include "wrapper_report.h"

#include "contract/retrace_snapshot.h"

#include "aot/graph_signature.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

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
    std::optional<RulesUsed> rules = {};
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
/// "model.py:41 in forward: x = self.fc(x)"
[[nodiscard]] std::string placeText(const ir::SourceLocation& source);
[[nodiscard]] RetracedCompile retracedCompile(const RetraceRun& run);

} // namespace aotscope::cli
