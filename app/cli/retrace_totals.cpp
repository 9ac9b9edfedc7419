#include "retrace_totals.h"

#include "base/formatted.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace aotscope::cli {

namespace {

bool isEqual(const session::RetraceSnapshot& run) {
    return run.verdict.isEqual();
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(std::size_t part, std::size_t whole) {
    // Rounded down so that 100 % means all.
    const double tenths = std::floor(share(part, whole) * 1000.0);
    return base::formatted("%.1f %%", tenths / 10.0);
}

} // namespace

RetraceTotals totalsOf(const std::vector<RetraceRun>& runs) {
    RetraceTotals totals;
    for (const RetraceRun& run : runs) {
        const session::RetraceSnapshot& snapshot = *run.snapshot;
        totals.metadata += snapshot.loggedMetadata ? 1 : 0;
        totals.metadataEqual += snapshot.loggedMetadata && snapshot.metadataDifferences.empty() ? 1 : 0;
        totals.gradModeAssumed += snapshot.made && snapshot.isGradModeAssumed ? 1 : 0;
        totals.notTraced += snapshot.error ? 1 : 0;
        if (!snapshot.target.logged) {
            continue;
        }
        ++totals.graphs;
        totals.equal += snapshot.verdict.word == base::VerdictWord::Equal ? 1 : 0;
        totals.equalUpToNames += snapshot.verdict.word == base::VerdictWord::EqualUpToNames ? 1 : 0;
        totals.different += snapshot.verdict.word == base::VerdictWord::Differs ? 1 : 0;
        if (snapshot.logged) {
            totals.nodes += snapshot.logged->graph->size();
            totals.equalNodes += isEqual(snapshot) ? snapshot.logged->graph->size() : snapshot.agreeingNodes;
        }
    }
    return totals;
}

RetraceAnswer retraceAnswer(const std::vector<RetraceRun>& runs, const std::optional<base::Error>& error) {
    RetraceAnswer answer{totalsOf(runs), {}, error};
    for (const RetraceRun& run : runs) {
        answer.compiles.push_back(retracedCompile(run));
    }
    return answer;
}

std::string retraceTotals(const std::vector<RetraceRun>& runs) {
    const RetraceTotals totals = totalsOf(runs);
    const std::size_t good = totals.equal + totals.equalUpToNames;
    if (totals.graphs == 0) {
        // A percentage of zero graphs would look like success.
        return "No graph to compare with; " + std::to_string(totals.notTraced) + " not traced.";
    }
    std::string text = std::to_string(good) + " of " + std::to_string(totals.graphs) + " graphs equal (" +
                       percent(good, totals.graphs) + ")";
    if (totals.equalUpToNames > 0) {
        text += ", " + std::to_string(totals.equalUpToNames) + " of them up to names";
    }
    text += "; " + std::to_string(totals.equalNodes) + " of " + std::to_string(totals.nodes) + " nodes (" +
            percent(totals.equalNodes, totals.nodes) + "); " + std::to_string(totals.different) +
            " differ, " + std::to_string(totals.notTraced) + " not traced; metadata equal in " +
            std::to_string(totals.metadataEqual) + " of " + std::to_string(totals.metadata) + ".";
    if (totals.gradModeAssumed > 0) {
        text += " Gradient mode is assumed in " + std::to_string(totals.gradModeAssumed) + ".";
    }
    std::set<std::string> rules;
    for (const RetraceRun& run : runs) {
        if (run.snapshot->rules) {
            rules.insert(run.snapshot->rules->text());
        }
    }
    for (const std::string& each : rules) {
        text += (each == *rules.begin() ? " By the " : ", ") + each;
    }
    return rules.empty() ? text : text + ".";
}

bool allEqual(const std::vector<RetraceRun>& runs) {
    return std::ranges::all_of(runs, [](const RetraceRun& run) {
        const bool isGood = isEqual(*run.snapshot) || session::hasNothingToCompare(*run.snapshot);
        return isGood && run.snapshot->metadataDifferences.empty() && numbersAgree(run.numbers);
    });
}

} // namespace aotscope::cli
