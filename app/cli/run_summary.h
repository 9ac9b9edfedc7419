#pragma once

#include "json_text.h"
#include "table.h"

#include "contract/snapshots.h"

#include <map>
#include <optional>
#include <string>

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

/// Several runs as a table and as totals.
class RunSummary {
public:
    void add(const std::string& title, const RunOutcome& outcome);

    [[nodiscard]] std::string text() const;
    /// In schema aotscope.runs/1.
    [[nodiscard]] std::string json() const;
    /// Whether no run has an error. A run with stand-ins has one unless they are allowed.
    [[nodiscard]] bool allRan() const { return m_good == m_all; }
    [[nodiscard]] bool anyMismatch() const { return m_mismatched > 0; }

private:
    [[nodiscard]] std::string reasonsText() const;

    Table m_table{{{"graph"},
                   {"nodes", Table::Align::Right},
                   {"state"},
                   {"time", Table::Align::Right},
                   {"peak", Table::Align::Right},
                   {"differ", Table::Align::Right},
                   {"why"}}};
    Json m_json = Json::array();
    std::size_t m_all = 0;
    std::size_t m_good = 0;
    /// Runs without stand-ins.
    std::size_t m_full = 0;
    std::size_t m_withStandIns = 0;
    std::size_t m_failed = 0;
    std::size_t m_mismatched = 0;
    /// Per operator: graphs that need it though it is not registered, and graphs that fail at it.
    std::map<std::string, std::size_t> m_standIns;
    std::map<std::string, std::size_t> m_failedAt;
};

} // namespace aotscope::cli
