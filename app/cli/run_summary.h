#pragma once

#include "answer.h"
#include "table.h"

#include "contract/snapshots.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// The result of one run, also if it could not start.
struct RunOutcome {
    session::ArtifactReference reference;
    session::RunSnapshotPtr run;
    std::optional<base::Error> error;

    [[nodiscard]] bool usesStandIns() const { return run && !run->standIns.empty(); }
    /// Whether the run finished, with or without stand-ins.
    [[nodiscard]] bool cameToItsEnd() const { return run && !run->error; }
};

/// One of several runs; without numbers if it could not start.
struct RunRow {
    std::string graph;
    std::string id;
    std::string kind;
    bool ok = false;
    std::optional<std::size_t> nodes;
    std::int64_t nanoseconds = 0;
    std::int64_t peakBytes = 0;
    std::size_t mismatches = 0;
    std::vector<session::StandInOperator> standIns;
    std::size_t madeUp = 0;
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(RunRow, graph, id, kind, ok, nodes, nanoseconds, peakBytes, mismatches, standIns, madeUp,
                 error)

struct RunsAnswer {
    std::size_t graphs = 0;
    /// Those without stand-ins.
    std::size_t ran = 0;
    std::size_t ranWithStandIns = 0;
    std::size_t failed = 0;
    std::size_t withMismatches = 0;
    std::vector<RunRow> runs = {};
};
AOTSCOPE_MEMBERS(RunsAnswer, graphs, ran, ranWithStandIns, failed, withMismatches, runs)
AOTSCOPE_ANSWER(RunsAnswer, "aotscope.runs/2")

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

    Table m_table{{{"graph"},
                   {"nodes", Table::Align::Right},
                   {"state"},
                   {"time", Table::Align::Right},
                   {"peak", Table::Align::Right},
                   {"differ", Table::Align::Right},
                   {"why"}}};
    RunsAnswer m_answer;
    std::size_t m_good = 0;
    /// Per operator: graphs that need it though it is not registered, and graphs that fail at it.
    std::map<std::string, std::size_t> m_standIns;
    std::map<std::string, std::size_t> m_failedAt;
};

} // namespace aotscope::cli
