#pragma once

#include "json_text.h"
#include "program.h"
#include "selection.h"

#include "passes/backward_inputs.h"
#include "session/explore/partition_snapshot.h"
#include "session/logged_partitions.h"
#include "session/retrace_target.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Which joint graph is split.
enum class JointInput {
    /// The engine's own where it can trace the compile's Dynamo graph as PyTorch did, else the logged one.
    Auto,
    Traced,
    Logged,
};

/// A joint graph to split: one in the file, one that the engine can trace, or both.
struct PartitionJob {
    std::optional<session::LoggedPartition> logged;
    std::optional<session::RetraceTarget> target;
};

/// A joint graph partitioned, and what became of the comparison with the logged halves.
struct PartitionRun {
    std::string title;
    /// The file it comes from, and the compile in it: an id, or what stands for one in a file of graphs.
    session::LogSnapshotPtr log;
    std::string compile;
    bool traced = false;
    /// The log is of a compile by Inductor, as far as the engine's own trace was asked for.
    bool byInductor = false;
    /// Null: `error` says why.
    session::PartitionSnapshotPtr split;
    std::vector<passes::BackwardInput> backwardInputs;
    std::optional<base::Error> error;
    /// Nothing: not compared.
    std::optional<bool> equal;
    /// Where they differ, one line each.
    std::vector<std::string> differences;
    /// Where what the partition adds to the metadata differs; nothing: not compared.
    std::optional<std::vector<std::string>> metadataDifferences;
    /// What a person must know to judge it.
    std::vector<std::string> notes;
};

struct PartitionRequest {
    session::PartitionChoices choices;
    JointInput input = JointInput::Logged;
    bool compare = false;
};

/// Both halves and the metadata are the logged ones, as far as they were compared and could be.
[[nodiscard]] bool isEqual(const PartitionRun& run);
/// They differ.
[[nodiscard]] bool isDifferent(const PartitionRun& run);
/// Which partitioner was taken follows from the logged halves that it is compared with.
[[nodiscard]] bool isReadFromHalves(const PartitionRun& run);

/// Splits joint graphs one after the other; what is traced is traced once.
class Partitioner {
public:
    Partitioner(Program& program, PartitionRequest request)
        : m_program(program), m_request(std::move(request)) {}

    /// Nothing: what was traced turned out to be no joint graph, and none is logged.
    [[nodiscard]] std::optional<PartitionRun> run(const PartitionJob& job);

private:
    [[nodiscard]] std::optional<session::ArtifactReference> chooseInput(const PartitionJob& job,
                                                                        PartitionRun& run);
    session::RetraceSnapshotPtr trace(const session::RetraceTarget& target);

    Program& m_program;
    PartitionRequest m_request;
    std::map<session::ArtifactReference, session::RetraceSnapshotPtr> m_traced;
};

/// "auto", "traced", "logged"
[[nodiscard]] JointInput jointInputNamed(const std::string& name);

/// The joint graphs of a compile with what each can be traced from, and what can be traced though no graph of
/// AOTAutograd is logged. Left out are those whose halves the file says are another partitioner's than the
/// named one ("auto": any).
[[nodiscard]] std::vector<PartitionJob> partitionJobs(const CompileChoice& choice,
                                                      const std::string& partitioner, JointInput input);

/// The last joint graph in the file of a compile, which went on to be compiled.
[[nodiscard]] std::optional<session::ArtifactReference> lastJoint(const CompileChoice& choice);

/// "traced joint graph", "logged joint graph": what was split.
[[nodiscard]] std::string jointInputText(const PartitionRun& run);

/// What is saved, with the rule that decided.
[[nodiscard]] std::string partitionTable(const PartitionRun& run);
/// One line per joint graph.
[[nodiscard]] std::string partitionSummary(const std::vector<PartitionRun>& runs);
[[nodiscard]] Json partitionJson(const PartitionRun& run);

} // namespace aotscope::cli
