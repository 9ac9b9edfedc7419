#pragma once

#include "answer.h"
#include "compile_answer.h"
#include "program.h"
#include "selection.h"

#include "base/verdict.h"
#include "contract/partition_snapshot.h"
#include "contract/retrace_target.h"
#include "files/logged_partitions.h"
#include "passes/backward_inputs.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Which joint graph to partition.
enum class JointInput {
    /// The re-traced one if the engine can trace it as PyTorch did, else the logged one.
    Auto,
    Traced,
    Logged,
};
AOTSCOPE_WORDS(JointInput, "auto", "traced", "logged")

/// A joint graph to partition: a logged one, one that can be traced, or both.
struct PartitionJob {
    std::optional<session::LoggedPartition> logged;
    std::optional<session::RetraceTarget> target;
};

/// How the halves of a joint graph compare with the logged ones; null: not compared.
struct HalvesAnswer {
    std::string graph;
    std::optional<base::Error> error;
    /// Null also where the graphs cannot be compared, as then only what is saved is known, and where the
    /// partitioner is not known.
    std::optional<bool> equal;
    std::optional<base::Verdict> savedVerdict;
    std::optional<base::Verdict> graphsVerdict;
    /// One line each.
    std::vector<std::string> differences;
    /// What the partition adds to the metadata.
    std::optional<bool> metadataEqual;
    std::vector<std::string> metadataDifferences;
    /// What a person needs to judge the result.
    std::vector<std::string> notes;
};
AOTSCOPE_MEMBERS(HalvesAnswer, graph, error, equal, savedVerdict, graphsVerdict, differences, metadataEqual,
                 metadataDifferences, notes)

/// A partition, and how it compares with the logged halves.
struct PartitionRun : HalvesAnswer {
    /// The file, and the compile in it: a compile id, or the name in its place in a graph file.
    session::LogSnapshotPtr log;
    std::string compile;
    bool traced = false;
    /// Null on failure; then `error` is set.
    session::PartitionSnapshotPtr split;
    std::vector<passes::BackwardInput> backwardInputs;
    /// Both verdicts in one: judge::halvesWord.
    std::optional<base::VerdictWord> halves;
};

/// A saved or recomputed value.
struct ValueAnswer {
    std::string name;
    std::string target;
    std::int64_t bytes = 0;
    std::string_view dtype;
    ir::SymInts shape;
    std::string module;
    std::string source;
    std::optional<std::int64_t> distanceFromBackward;
    std::optional<std::int64_t> weight;
    std::string reason;
    std::vector<std::string> bans = {};
};
AOTSCOPE_MEMBERS(ValueAnswer, name, target, bytes, dtype, shape, module, source, distanceFromBackward, weight,
                 reason, bans)

/// Without a split there is nothing behind the error.
struct PartitionAnswer : HalvesAnswer {
    std::string input;
    std::string partitioner;
    std::optional<aot::RulesChoice> rules = {};
    std::optional<session::PartitionerSource> partitionerSource = {};
    std::optional<std::size_t> nodes = {};
    std::optional<std::size_t> forwardNodes = {};
    std::optional<std::size_t> backwardNodes = {};
    std::optional<std::size_t> forwardOutputs = {};
    std::vector<std::size_t> staticInputs = {};
    std::optional<double> memoryBudget = {};
    std::optional<std::vector<OptionAnswer>> configuration = {};
    std::string_view runtime = {};
    std::optional<std::int64_t> savedBytes = {};
    std::vector<ValueAnswer> saved = {};
    std::vector<ValueAnswer> savedSymbols = {};
    std::vector<ValueAnswer> recomputed = {};
    std::vector<std::size_t> donatedInputsOfBackward = {};
    std::vector<passes::BackwardInput> backwardInputs = {};
    std::optional<std::int64_t> cutWeight = {};
    std::vector<passes::GraphWarning> warnings = {};
};
AOTSCOPE_MORE_MEMBERS(PartitionAnswer, HalvesAnswer, input, partitioner, rules, partitionerSource, nodes,
                      forwardNodes, backwardNodes, forwardOutputs, staticInputs, memoryBudget, configuration,
                      runtime, savedBytes, saved, savedSymbols, recomputed, donatedInputsOfBackward,
                      backwardInputs, cutWeight, warnings)

struct PartitionRequest {
    /// "auto", or that of the choices: halves that the file assigns to another one are left out.
    std::string partitioner = "auto";
    session::PartitionChoices choices;
    JointInput input = JointInput::Logged;
    bool compare = false;
};

/// Whether halves and metadata equal the logged ones; what could not be compared does not count.
[[nodiscard]] bool isEqual(const PartitionRun& run);
/// Whether the graphs of the halves could be compared, and not only what they save.
[[nodiscard]] bool areGraphsCompared(const PartitionRun& run);
/// Whether halves or metadata differ from the logged ones.
[[nodiscard]] bool isDifferent(const PartitionRun& run);
/// Whether only the default partitioner, which nobody chose, gives the logged halves.
[[nodiscard]] bool isEqualUnderDefault(const PartitionRun& run);
/// Compared, but none of these: something here, or in the log, cannot decide it.
[[nodiscard]] bool isUndecided(const PartitionRun& run);

/// Partitions joint graphs one after the other; each program is traced only once.
class Partitioner {
public:
    Partitioner(Program& program, PartitionRequest request)
        : m_program(program), m_request(std::move(request)) {}

    /// Nothing if the traced graph is not a joint graph and none is logged.
    [[nodiscard]] std::optional<PartitionRun> run(const PartitionJob& job);

private:
    [[nodiscard]] std::optional<session::ArtifactReference> chooseInput(const PartitionJob& job,
                                                                        PartitionRun& run);
    session::RetraceSnapshotPtr trace(const session::RetraceTarget& target);

    Program& m_program;
    PartitionRequest m_request;
    std::map<session::ArtifactReference, session::RetraceSnapshotPtr> m_traced;
};

/// The joint graphs of a compile, each with the program it can be traced from, and programs that can be
/// traced although no joint graph is logged.
[[nodiscard]] std::vector<PartitionJob> partitionJobs(const CompileChoice& choice,
                                                      const PartitionRequest& request);
/// Partitions the joint graphs of compiles one after the other, and passes on each that there is.
void partitionEach(Program& program, const std::vector<CompileChoice>& choices,
                   const PartitionRequest& request, const std::function<void(PartitionRun)>& take);
/// Writes the files of each into the folder of its compile.
void writePartitions(Program& program, const std::filesystem::path& out,
                     const std::vector<PartitionRun>& runs,
                     const std::function<std::vector<session::NamedText>(const PartitionRun&)>& filesOf);
[[nodiscard]] Failure nothingToCompare();

/// The last logged joint graph of a compile: the one that was compiled.
[[nodiscard]] std::optional<session::ArtifactReference> lastJoint(const CompileChoice& choice);

/// "traced joint graph" or "logged joint graph"
[[nodiscard]] std::string jointInputText(const PartitionRun& run);

/// What is saved, and the rule that decided it.
[[nodiscard]] std::string partitionTable(const PartitionRun& run);
/// One line per joint graph.
[[nodiscard]] std::string partitionSummary(const std::vector<PartitionRun>& runs);
/// The verdicts of each joint graph with all that is behind them.
[[nodiscard]] std::string explainedPartitions(const std::vector<PartitionRun>& runs);
/// "equal", "equal; graphs not comparable: …", "differs: …": both verdicts in a line; empty: not compared.
[[nodiscard]] std::string halvesVerdictText(const PartitionRun& run);
/// "equal", "differs: …": what the partition adds to the metadata; empty: not compared.
[[nodiscard]] std::string metadataVerdict(const PartitionRun& run);
[[nodiscard]] PartitionAnswer partitionAnswer(const PartitionRun& run);
/// The halves and the answer; none if it failed.
[[nodiscard]] std::vector<session::NamedText> partitionFiles(const PartitionRun& run);

} // namespace aotscope::cli
