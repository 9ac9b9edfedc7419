#include "run_summary.h"

#include "console.h"
#include "log_summary.h"
#include "run_report.h"

#include <cmath>

namespace aotscope::cli {

namespace {

std::string reason(const base::Error& error) {
    const bool saysNode =
        error.place.node.empty() || error.message.find(error.place.node) != std::string::npos;
    return (saysNode ? "" : error.place.node + ": ") + firstLine(error.message);
}

std::string reasonOf(const RunOutcome& outcome) {
    if (outcome.cameToItsEnd() && outcome.usesStandIns()) {
        return "not registered here: " + standInNames(*outcome.run) + "; numbers of " +
               std::to_string(madeUpCount(*outcome.run)) + " nodes with synthetic results";
    }
    return outcome.error ? reason(*outcome.error) : "";
}

std::string shareText(std::size_t part, std::size_t all) {
    const double percent = all == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
    return numberText(std::floor(percent * 10) / 10) + " %";
}

/// The operator of the failed node, else the error code.
std::string failedOperator(const RunOutcome& outcome) {
    const base::Error& error = *outcome.error;
    if (outcome.run && !error.place.node.empty()) {
        const ir::Graph& graph = *outcome.run->graph->graph;
        if (const auto node = graph.tryFind(error.place.node)) {
            return graph.node(*node).target;
        }
    }
    return error.code;
}

std::string countedNames(const std::map<std::string, std::size_t>& names) {
    std::string text;
    for (const auto& [name, count] : names) {
        text += (text.empty() ? "" : ", ") + name;
        text += count > 1 ? " (" + std::to_string(count) + ")" : "";
    }
    return text;
}

} // namespace

void RunSummary::add(const std::string& title, const RunOutcome& outcome) {
    const std::size_t mismatches = outcome.run ? mismatchCount(*outcome.run) : 0;
    const bool ended = outcome.cameToItsEnd();
    const bool standsIn = ended && outcome.usesStandIns();
    ++m_all;
    m_good += outcome.error ? 0 : 1;
    m_full += ended && !standsIn ? 1 : 0;
    m_withStandIns += standsIn ? 1 : 0;
    m_failed += ended ? 0 : 1;
    m_mismatched += mismatches > 0 ? 1 : 0;
    Json standIns = Json::array();
    if (outcome.run) {
        for (const session::StandInOperator& standIn : outcome.run->standIns) {
            m_standIns[standIn.target] += standsIn ? 1 : 0;
            standIns.push_back({{"operator", standIn.target}, {"nodes", standIn.nodes}});
        }
    }
    if (!ended && outcome.error) {
        ++m_failedAt[failedOperator(outcome)];
    }
    const session::RunSnapshot* run = outcome.run.get();
    m_table.add({title, run ? std::to_string(run->nodes.size()) : "",
                 !ended     ? "failed"
                 : standsIn ? "stand-ins"
                            : "ran",
                 run ? durationText(run->nanoseconds) : "", run ? bytesText(run->peakBytes) : "",
                 mismatches > 0 ? std::to_string(mismatches) : "", reasonOf(outcome)});
    Json entry{{"graph", title},
               {"id", outcome.reference.compile.text()},
               {"kind", outcome.reference.artifact},
               {"ok", !outcome.error}};
    entry["nodes"] = run ? Json(run->nodes.size()) : Json(nullptr);
    entry["nanoseconds"] = run ? Json(run->nanoseconds) : Json(nullptr);
    entry["peak_bytes"] = run ? Json(run->peakBytes) : Json(nullptr);
    entry["mismatches"] = mismatches;
    entry["stand_ins"] = std::move(standIns);
    entry["made_up"] = run ? madeUpCount(*run) : 0;
    entry["error"] = outcome.error ? errorJson(*outcome.error) : Json(nullptr);
    m_json.push_back(std::move(entry));
}

std::string RunSummary::reasonsText() const {
    std::string text;
    if (m_withStandIns > 0) {
        text += ", " + std::to_string(m_withStandIns) + " ran with stand-ins for " + countedNames(m_standIns);
    }
    if (m_failed > 0) {
        text += ", " + std::to_string(m_failed) + " failed at " + countedNames(m_failedAt);
    }
    return text;
}

std::string RunSummary::text() const {
    std::string text = std::to_string(m_full) + " of " + std::to_string(m_all) + " graphs ran (" +
                       shareText(m_full, m_all) + ")" + reasonsText();
    if (m_mismatched > 0) {
        text += "; " + std::to_string(m_mismatched) + " with nodes that differ from the log";
    }
    return m_table.text(resultWidth()) + printable(text) + "\n";
}

std::string RunSummary::json() const {
    return jsonText({{"schema", "aotscope.runs/1"},
                     {"graphs", m_all},
                     {"ran", m_full},
                     {"ran_with_stand_ins", m_withStandIns},
                     {"failed", m_failed},
                     {"with_mismatches", m_mismatched},
                     {"runs", m_json}});
}

} // namespace aotscope::cli
