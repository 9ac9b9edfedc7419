#include "run_report.h"

#include "console.h"
#include "log_summary.h"
#include "table.h"

#include "base/formatted.h"
#include "base/joined.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace aotscope::cli {

namespace {

std::string microseconds(std::int64_t nanoseconds) {
    return base::formatted("%.1f", static_cast<double>(nanoseconds) / 1e3);
}

bool showsNumbers(session::RunOrigin origin, MadeUpNumbers madeUp) {
    return madeUp == MadeUpNumbers::Shown || origin == session::RunOrigin::Computed;
}

/// Without its numbers, unless they are shown.
session::TensorSummary shownSummary(const session::TensorSummary& tensor, bool numbers) {
    if (numbers) {
        return tensor;
    }
    session::TensorSummary summary;
    summary.dtype = tensor.dtype;
    summary.shape = tensor.shape;
    summary.stride = tensor.stride;
    summary.bytes = tensor.bytes;
    return summary;
}

std::string noteText(const session::NodeRun& ran) {
    const std::string follows =
        ran.origin == session::RunOrigin::FollowsFromStandIn ? "depends on a stand-in" : "";
    return ran.note.empty() ? follows : follows.empty() ? ran.note : ran.note + "; " + follows;
}

std::string countOrNothing(std::int64_t count) {
    return count == 0 ? std::string() : std::to_string(count);
}

/// Number of nodes whose numbers are stand-ins or depend on them.
std::size_t madeUpCount(const session::RunSnapshot& run) {
    return static_cast<std::size_t>(std::ranges::count_if(
        run.nodes, [](const session::NodeRun& node) { return node.origin != session::RunOrigin::Computed; }));
}

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

std::size_t mismatchCount(const session::RunSnapshot& run) {
    return static_cast<std::size_t>(std::ranges::count_if(
        run.nodes, [](const session::NodeRun& node) { return !node.mismatch.empty(); }));
}

std::string standInText(const session::RunSnapshot& run) {
    const std::size_t follows = static_cast<std::size_t>(
        std::ranges::count(run.nodes, session::RunOrigin::FollowsFromStandIn, &session::NodeRun::origin));
    const bool one = run.standIns.size() == 1;
    return std::to_string(run.standIns.size()) + (one ? " operator is" : " operators are") +
           " not registered here and " + (one ? "was" : "were") +
           " replaced by random values of the logged shape: " +
           base::joined(run.standIns, ", ", &session::StandInOperator::target) + ". The numbers of " +
           (follows == 1 ? "1 other node depend on it."
                         : std::to_string(follows) + " other nodes depend on " + (one ? "it." : "them."));
}

std::optional<base::Error> standInError(const session::RunSnapshot& run) {
    if (run.standIns.empty()) {
        return std::nullopt;
    }
    const auto first = std::ranges::find(run.nodes, session::RunOrigin::StandIn, &session::NodeRun::origin);
    base::Error error;
    error.code = "run.stand_ins";
    error.message = standInText(run);
    if (first != run.nodes.end()) {
        error.place.node = run.graph->graph->node(first->node).name;
    }
    error.hint = "The compiled program registers the operator itself; this program cannot. To run the graph "
                 "anyway, give --allow-stand-ins: the numbers are then synthetic.";
    return error;
}

std::string runTable(const session::RunSnapshot& run, MadeUpNumbers madeUp) {
    Table table({"node", "op", numbers("time µs"), "value", numbers("bytes"), numbers("min"), numbers("mean"),
                 numbers("max"), numbers("nan"), numbers("inf"), "differs from the log", "note"});
    for (const session::NodeRun& ran : run.nodes) {
        const ir::Node& node = run.graph->graph->node(ran.node);
        const std::string op =
            node.op == ir::Opcode::CallFunction ? node.target : std::string(base::wordOf(node.op));
        const std::string note = noteText(ran);
        const bool numbers = showsNumbers(ran.origin, madeUp);
        if (ran.outputs.empty()) {
            table.add({node.name, op, microseconds(ran.nanoseconds), numbers ? ran.scalar : "", "", "", "",
                       "", "", "", ran.mismatch, note});
        }
        for (std::size_t i = 0; i < ran.outputs.size(); ++i) {
            const session::TensorSummary& tensor = ran.outputs[i];
            const bool isFirst = i == 0;
            Cells values(5);
            if (numbers) {
                values = {numberText(tensor.minimum), numberText(tensor.mean), numberText(tensor.maximum),
                          countOrNothing(tensor.nanCount), countOrNothing(tensor.infCount)};
            }
            table.add({isFirst ? node.name : "", isFirst ? op : "",
                       isFirst ? microseconds(ran.nanoseconds) : "",
                       tensor.dtype + "[" + base::joined(tensor.shape) + "]", tensor.bytes},
                      values, {isFirst ? ran.mismatch : "", isFirst ? note : ""});
        }
    }
    return table.shown();
}

std::string runTotals(const session::RunSnapshot& run) {
    std::string text = std::to_string(run.nodes.size()) + " nodes in " + durationText(run.nanoseconds) +
                       ", at most " + bytesText(run.peakBytes) + " alive, seed " + std::to_string(run.seed);
    for (const auto& [symbol, value] : run.symbols) {
        text += ", " + symbol + " = " + std::to_string(value);
    }
    if (const std::size_t mismatches = mismatchCount(run); mismatches > 0) {
        text += ", " + counted(mismatches, "node differs", "nodes differ") + " from the log";
    }
    if (const std::size_t madeUp = madeUpCount(run); madeUp > 0) {
        text += ", numbers of " + counted(madeUp, "node") + " synthetic";
    }
    return printable(text + ", " + run.backend) + "\n";
}

RunAnswer runAnswer(const std::string& title, const session::RunSnapshotPtr& run,
                    const std::optional<base::Error>& error, std::optional<MadeUpNumbers> madeUp) {
    RunAnswer answer{run ? session::RunFacts(*run) : session::RunFacts(), title, !error};
    answer.error = error;
    if (!run) {
        return answer;
    }
    answer.peakBytes = run->peakBytes;
    answer.mismatches = mismatchCount(*run);
    answer.standIns = run->standIns;
    answer.madeUp = madeUpCount(*run);
    if (!madeUp) {
        return answer;
    }
    answer.nodes.graph = answer.values.graph = run->graph->graph;
    for (const session::NodeRun& ran : run->nodes) {
        const ir::Node& node = run->graph->graph->node(ran.node);
        const bool numbers = showsNumbers(ran.origin, *madeUp);
        RanNode& row = answer.nodes.value.emplace_back(RanNode{ran, node.op, node.target, !numbers});
        row.scalar = numbers ? ran.scalar : std::string();
        for (session::TensorSummary& tensor : row.outputs) {
            tensor = shownSummary(tensor, numbers);
        }
    }
    for (const session::NodeValuePtr& value : run->values) {
        const bool numbers = showsNumbers(value->origin, *madeUp);
        KeptValue& kept = answer.values.value.emplace_back(KeptValue{value->node, {}, !numbers});
        for (const session::NodeTensor& tensor : value->tensors) {
            kept.tensors.push_back(shownSummary(tensor.summary, numbers));
        }
    }
    return answer;
}

RunOutcome runGraph(Program& program, const session::RunGraph& command, MadeUpNumbers madeUp) {
    auto [run, error] = program.attempt<session::RunSnapshotPtr>(command);
    if (run && !error && madeUp == MadeUpNumbers::Withheld) {
        error = standInError(*run);
    }
    return {command.graph, std::move(run), std::move(error)};
}

void showRun(Program& program, const std::string& title, const RunOutcome& outcome, MadeUpNumbers madeUp,
             bool json) {
    if (json) {
        program.console.result(answerText(runAnswer(title, outcome.run, outcome.error, madeUp)));
    } else if (outcome.run) {
        program.console.result(runTable(*outcome.run, madeUp) + runTotals(*outcome.run));
    }
}

void RunSummary::add(const std::string& title, const RunOutcome& outcome) {
    const RunAnswer& row = m_answer.runs.emplace_back(runAnswer(title, outcome.run, outcome.error));
    const bool ended = outcome.cameToItsEnd();
    const bool standsIn = ended && outcome.usesStandIns();
    ++m_answer.graphs;
    m_good += outcome.error ? 0 : 1;
    m_answer.ran += ended && !standsIn ? 1 : 0;
    m_answer.ranWithStandIns += standsIn ? 1 : 0;
    m_answer.failed += ended ? 0 : 1;
    m_answer.withMismatches += row.mismatches > 0 ? 1 : 0;
    const session::RunSnapshot* run = outcome.run.get();
    for (const session::StandInOperator& standIn : row.standIns) {
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
                 row.mismatches > 0 ? std::to_string(row.mismatches) : "", reasonOf(outcome)});
}

std::string RunSummary::reasonsText() const {
    std::string text;
    if (m_answer.ranWithStandIns > 0) {
        text += textOf(", ", m_answer.ranWithStandIns, " ran with stand-ins for ", countedNames(m_standIns));
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
    return m_table.shown() + printable(text) + "\n";
}

namespace {

using session::NodeError;
using session::NodeVerdict;

std::string nameOf(const session::ReferenceSnapshot& compared, const NodeError& error) {
    const bool isOneOfSeveral = std::ranges::count(compared.nodes, error.node, &NodeError::node) > 1;
    return compared.graph->graph->node(error.node).name +
           (isOneOfSeveral ? "." + std::to_string(error.output) : "");
}

double largestRelative(const session::ReferenceSnapshot& compared) {
    double largest = 0;
    for (const NodeError& error : compared.nodes) {
        largest = std::max(largest, error.total.relative);
    }
    return largest;
}

std::string checkedText(const session::ReferenceSnapshot& compared) {
    const std::size_t unchecked = compared.count(NodeVerdict::NotChecked);
    return std::to_string(compared.nodes.size() - unchecked) + " tensors checked" +
           (unchecked > 0 ? ", " + std::to_string(unchecked) + " not" : "");
}

} // namespace

std::string referenceTable(const session::ReferenceSnapshot& compared) {
    Table table({"node", "op", "dtype", numbers("error"), numbers("relative"), numbers("ulps"),
                 numbers("own"), numbers("own ulps"), numbers("of inputs"), "verdict", "why"});
    for (const NodeError& error : compared.nodes) {
        const std::string& target = compared.graph->graph->node(error.node).target;
        Cells values(6);
        if (!error.dtype.empty()) {
            values = {threeDigits(error.total.absolute), threeDigits(error.total.relative),
                      threeDigits(error.total.ulps),     threeDigits(error.own.absolute),
                      threeDigits(error.own.ulps),       threeDigits(error.inherited.absolute)};
        }
        table.add({nameOf(compared, error), target, error.dtype}, values, {error.verdict, error.reason});
    }
    return table.shown();
}

std::string firstDifferenceText(const session::ReferenceSnapshot& compared) {
    if (!compared.firstWrong) {
        return "No wrong op: " + checkedText(compared) + ", largest error " +
               threeDigits(largestRelative(compared)) + " of a tensor's largest magnitude.\n";
    }
    const NodeError& error = compared.nodes[*compared.firstWrong];
    const ir::Node& node = compared.graph->graph->node(error.node);
    std::string text = "First wrong op: " + nameOf(compared, error) + " = " + node.target;
    if (!error.reason.empty()) {
        text += ", which " + error.reason;
    }
    text += "\n";
    if (!error.dtype.empty()) {
        text += "  its own error is " + threeDigits(error.own.absolute) + " (" + threeDigits(error.own.ulps) +
                " ulps of " + error.dtype + "); " + threeDigits(error.allowed) + " would be explained\n";
        text += "  at [" + base::joined(error.worstIndex) + "] it is " + numberText(error.worstValue) +
                ", the reference on the same inputs " + numberText(error.worstExpected) + "\n";
        text += "  with the errors of its inputs (" + threeDigits(error.inherited.absolute) +
                ") it is off by " + threeDigits(error.total.absolute) + ", " +
                threeDigits(error.total.relative) + " of the largest magnitude\n";
    }
    text += textOf("  ", checkedText(compared), ", ", compared.count(NodeVerdict::Wrong), " wrong in all\n");
    return printable(text);
}

ReferenceAnswer referenceAnswer(const std::string& title, const session::ReferenceSnapshotPtr& compared,
                                const std::optional<base::Error>& error, bool onlyFirst) {
    ReferenceAnswer answer{compared ? session::RunFacts(*compared) : session::RunFacts(), title,
                           compared && !error && !compared->firstWrong};
    answer.error = error;
    if (!compared) {
        return answer;
    }
    answer.notChecked = compared->count(NodeVerdict::NotChecked);
    answer.checked = compared->nodes.size() - answer.notChecked;
    answer.wrong = compared->count(NodeVerdict::Wrong);
    answer.firstWrong.graph = answer.nodes.graph = compared->graph->graph;
    const auto row = [&](const NodeError& each) {
        const ir::Node& node = compared->graph->graph->node(each.node);
        return ComparedNode{each, node.target};
    };
    if (compared->firstWrong) {
        answer.firstWrong.value = row(compared->nodes[*compared->firstWrong]);
    }
    if (!onlyFirst) {
        std::ranges::transform(compared->nodes, std::back_inserter(answer.nodes.value), row);
    }
    return answer;
}

void ReferenceSummary::add(const std::string& title, const session::ReferenceSnapshotPtr& compared,
                           const std::optional<base::Error>& error) {
    const ReferenceAnswer& row = m_answer.results.emplace_back(referenceAnswer(title, compared, error, true));
    Cells cells{title, {}, {}, {}, {}, error ? firstLine(error->message) : ""};
    if (compared) {
        cells[1] = row.checked;
        cells[2] = countOrNothing(static_cast<std::int64_t>(row.notChecked));
        cells[3] = threeDigits(largestRelative(*compared));
        if (compared->firstWrong) {
            const NodeError& wrong = compared->nodes[*compared->firstWrong];
            cells[4] = nameOf(*compared, wrong) + " = " + compared->graph->graph->node(wrong.node).target;
            cells[5] = wrong.reason.empty() ? "own error " + threeDigits(wrong.own.absolute) +
                                                  ", explained " + threeDigits(wrong.allowed)
                                            : wrong.reason;
        }
    }
    const bool isWrong = compared && compared->firstWrong;
    ++m_answer.graphs;
    m_answer.wrong += isWrong ? 1 : 0;
    m_answer.right += !isWrong && !error ? 1 : 0;
    m_answer.ok = m_answer.right == m_answer.graphs;
    m_table.add(cells);
}

std::string ReferenceSummary::text() const {
    return textOf(m_table.shown(), m_answer.graphs, " graphs: ", m_answer.right, " without a wrong op, ",
                  m_answer.wrong, " with one, ", m_answer.graphs - m_answer.right - m_answer.wrong,
                  " that could not be compared to the end\n");
}

} // namespace aotscope::cli
