#include "run_summary.h"

#include "console.h"
#include "log_summary.h"
#include "run_report.h"

#include "base/joined.h"

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
        return "not registered here: " +
               base::joined(outcome.run->standIns, ", ", &session::StandInOperator::target) +
               "; numbers of " + std::to_string(madeUpCount(*outcome.run)) + " nodes with synthetic results";
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
    ++m_answer.graphs;
    m_good += outcome.error ? 0 : 1;
    m_answer.ran += ended && !standsIn ? 1 : 0;
    m_answer.ranWithStandIns += standsIn ? 1 : 0;
    m_answer.failed += ended ? 0 : 1;
    m_answer.withMismatches += mismatches > 0 ? 1 : 0;
    const session::RunSnapshot* run = outcome.run.get();
    const auto standIns = run ? run->standIns : std::vector<session::StandInOperator>();
    for (const session::StandInOperator& standIn : standIns) {
        m_standIns[standIn.target] += standsIn ? 1 : 0;
    }
    if (!ended && outcome.error) {
        ++m_failedAt[failedOperator(outcome)];
    }
    m_table.add({title, run ? std::to_string(run->nodes.size()) : "",
                 !ended     ? "failed"
                 : standsIn ? "stand-ins"
                            : "ran",
                 run ? durationText(run->nanoseconds) : "", run ? bytesText(run->peakBytes) : "",
                 mismatches > 0 ? std::to_string(mismatches) : "", reasonOf(outcome)});
    m_answer.runs.push_back({title, outcome.reference.compile.text(), outcome.reference.artifact,
                             !outcome.error, run ? std::optional(run->nodes.size()) : std::nullopt,
                             run ? run->nanoseconds : 0, run ? run->peakBytes : 0, mismatches, standIns,
                             run ? madeUpCount(*run) : 0, outcome.error});
}

std::string RunSummary::reasonsText() const {
    std::string text;
    if (m_answer.ranWithStandIns > 0) {
        text += ", " + std::to_string(m_answer.ranWithStandIns) + " ran with stand-ins for " +
                countedNames(m_standIns);
    }
    if (m_answer.failed > 0) {
        text += ", " + std::to_string(m_answer.failed) + " failed at " + countedNames(m_failedAt);
    }
    return text;
}

std::string RunSummary::text() const {
    std::string text = std::to_string(m_answer.ran) + " of " + std::to_string(m_answer.graphs) +
                       " graphs ran (" + shareText(m_answer.ran, m_answer.graphs) + ")" + reasonsText();
    if (m_answer.withMismatches > 0) {
        text += "; " + std::to_string(m_answer.withMismatches) + " with nodes that differ from the log";
    }
    return m_table.text(resultWidth()) + printable(text) + "\n";
}

} // namespace aotscope::cli
