#pragma once

#include "answer.h"
#include "program.h"
#include "table.h"

#include "contract/reference_run.h"
#include "contract/rerun_request.h"
#include "contract/snapshots.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Reports on runs, on runs beside a float64 reference, and on reruns.
namespace aotscope::cli {

/// Whether to show numbers that are stand-ins or depend on them.
enum class MadeUpNumbers { Withheld, Shown };

struct RanNode : session::NodeRun {
    ir::Opcode op = {};
    std::string target = {};
    /// Its numbers are stand-ins or depend on them, and are left out: minimum, mean and maximum are null, and
    /// no element is counted.
    bool numbersWithheld = false;
};
AOTSCOPE_MORE_MEMBERS(RanNode, session::NodeRun, op, target, numbersWithheld)

struct KeptValue {
    ir::NodeId node;
    /// With histograms.
    std::vector<session::TensorSummary> tensors = {};
    bool numbersWithheld = false;
};
AOTSCOPE_MEMBERS(KeptValue, node, tensors, numbersWithheld)

/// A run, also one that could not start.
struct RunAnswer : session::RunFacts {
    std::string graph = {};
    bool ok = false;
    std::int64_t peakBytes = 0;
    /// Nodes whose result contradicts the log.
    std::size_t mismatches = 0;
    std::vector<session::StandInOperator> standIns = {};
    /// Nodes whose numbers are stand-ins or depend on them.
    std::size_t madeUp = 0;
    OfGraph<std::vector<RanNode>> nodes = {};
    OfGraph<std::vector<KeptValue>> values = {};
};
AOTSCOPE_MORE_MEMBERS(RunAnswer, session::RunFacts, graph, ok, peakBytes, mismatches, standIns, madeUp, nodes,
                      values)
AOTSCOPE_ANSWER(RunAnswer, "aotscope.run/2")

/// A run as a table for people: one line per value that a node returned, and totals.
[[nodiscard]] std::string runTable(const session::RunSnapshot& run, MadeUpNumbers madeUp);
/// "58 nodes in 3.2 ms, at most 1.5 MB alive, seed 0, s0 = 8, LibTorch 2.11.0 (CPU)"
[[nodiscard]] std::string runTotals(const session::RunSnapshot& run);
/// `run` is null if it could not start. Without `madeUp` nodes and values are left out.
[[nodiscard]] RunAnswer runAnswer(const std::string& title, const session::RunSnapshotPtr& run,
                                  const std::optional<base::Error>& error,
                                  std::optional<MadeUpNumbers> madeUp = {});
/// Number of nodes whose result contradicts the log.
[[nodiscard]] std::size_t mismatchCount(const session::RunSnapshot& run);

/// One or two sentences for people about a run with stand-ins.
[[nodiscard]] std::string standInText(const session::RunSnapshot& run);
/// Why a run with stand-ins counts as failed if they are not allowed. Nothing if there are none.
[[nodiscard]] std::optional<base::Error> standInError(const session::RunSnapshot& run);

/// The result of one run, also if it could not start.
struct RunOutcome {
    session::ArtifactReference reference;
    session::RunSnapshotPtr run;
    std::optional<base::Error> error;

    [[nodiscard]] bool usesStandIns() const { return run && !run->standIns.empty(); }
    /// Whether the run finished, with or without stand-ins.
    [[nodiscard]] bool cameToItsEnd() const { return run && !run->error; }
};

struct RunsAnswer {
    std::size_t graphs = 0;
    /// Those without stand-ins.
    std::size_t ran = 0;
    std::size_t ranWithStandIns = 0;
    std::size_t failed = 0;
    std::size_t withMismatches = 0;
    /// Without nodes and values.
    std::vector<RunAnswer> runs = {};
};
AOTSCOPE_MEMBERS(RunsAnswer, graphs, ran, ranWithStandIns, failed, withMismatches, runs)
AOTSCOPE_ANSWER(RunsAnswer, "aotscope.runs/2")

/// Runs one graph. A run with stand-ins counts as failed unless their numbers are shown.
[[nodiscard]] RunOutcome runGraph(Program& program, const session::RunGraph& command, MadeUpNumbers madeUp);
/// The run as JSON; else as a table and totals, if it started.
void showRun(Program& program, const std::string& title, const RunOutcome& outcome, MadeUpNumbers madeUp,
             bool json);

/// Several runs as a table and as totals.
class RunSummary {
public:
    void add(const std::string& title, const RunOutcome& outcome);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] const RunsAnswer& answer() const { return m_answer; }
    /// Whether no run has an error. A run with stand-ins has one unless they are allowed.
    [[nodiscard]] bool allRan() const { return m_good == m_answer.graphs; }
    [[nodiscard]] bool anyMismatch() const { return m_answer.withMismatches > 0; }

private:
    [[nodiscard]] std::string reasonsText() const;

    Table m_table{
        {"graph", numbers("nodes"), "state", numbers("time"), numbers("peak"), numbers("differ"), "why"}};
    RunsAnswer m_answer;
    std::size_t m_good = 0;
    /// Per operator: graphs that need it though it is not registered, and graphs that fail at it.
    std::map<std::string, std::size_t> m_standIns;
    std::map<std::string, std::size_t> m_failedAt;
};

/// One line per compared tensor: its error against the reference, the node's own part, and what its inputs'
/// errors explain.
[[nodiscard]] std::string referenceTable(const session::ReferenceSnapshot& compared);
/// The first wrong op in a few lines: the node, its operator and source line, its numbers. Or that there is
/// none, and how many nodes were checked.
[[nodiscard]] std::string firstDifferenceText(const session::ReferenceSnapshot& compared);

struct ComparedNode : session::NodeError {
    std::string target = {};
};
AOTSCOPE_MORE_MEMBERS(ComparedNode, session::NodeError, target)

/// A run beside a float64 reference, also one that could not start.
struct ReferenceAnswer : session::RunFacts {
    std::string graph = {};
    /// No node is wrong, and the run came to its end.
    bool ok = false;
    /// Numbers of tensors.
    std::size_t checked = 0;
    std::size_t notChecked = 0;
    std::size_t wrong = 0;
    OfGraph<std::optional<ComparedNode>> firstWrong = {};
    OfGraph<std::vector<ComparedNode>> nodes = {};
};
AOTSCOPE_MORE_MEMBERS(ReferenceAnswer, session::RunFacts, graph, ok, checked, notChecked, wrong, firstWrong,
                      nodes)
AOTSCOPE_ANSWER(ReferenceAnswer, "aotscope.reference/2")

struct ReferencesAnswer {
    bool ok = true;
    std::size_t graphs = 0;
    std::size_t right = 0;
    std::size_t wrong = 0;
    /// Without `nodes`.
    std::vector<ReferenceAnswer> results = {};
};
AOTSCOPE_MEMBERS(ReferencesAnswer, ok, graphs, right, wrong, results)
AOTSCOPE_ANSWER(ReferencesAnswer, "aotscope.references/2")

/// `compared` is null if it could not start. With `onlyFirst` the nodes are left out, but for the first wrong
/// one.
[[nodiscard]] ReferenceAnswer referenceAnswer(const std::string& title,
                                              const session::ReferenceSnapshotPtr& compared,
                                              const std::optional<base::Error>& error, bool onlyFirst);

/// Several comparisons as a table and as totals.
class ReferenceSummary {
public:
    /// `compared` is null if it could not start.
    void add(const std::string& title, const session::ReferenceSnapshotPtr& compared,
             const std::optional<base::Error>& error);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] const ReferencesAnswer& answer() const { return m_answer; }
    /// Whether all ran to the end and no node is wrong.
    [[nodiscard]] bool allRight() const { return m_answer.ok; }

private:
    Table m_table{{"graph", numbers("checked"), numbers("not checked"), numbers("largest error"),
                   "first wrong op", "why"}};
    ReferencesAnswer m_answer;
};

/// A rerun for people: times with a small distribution, what was moved and computed, how the values differ.
/// `baselineName` is what it was compared with; empty: only with the run.
[[nodiscard]] std::string rerunText(const session::RerunSnapshot& rerun, const std::string& title,
                                    const std::string& baselineName);

} // namespace aotscope::cli
