#include "reference_report.h"

#include "base/joined.h"
#include "console.h"
#include "log_summary.h"

#include "base/formatted.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace aotscope::cli {

namespace {

using session::NodeError;
using session::NodeVerdict;

std::string threeDigits(double number) {
    if (number == 0) {
        return "0";
    }
    return base::formatted("%.3g", number);
}

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
        std::vector<std::string> cells{nameOf(compared, error), target, error.dtype};
        if (error.dtype.empty()) {
            cells.resize(9);
        } else {
            cells.insert(cells.end(), {threeDigits(error.total.absolute), threeDigits(error.total.relative),
                                       threeDigits(error.total.ulps), threeDigits(error.own.absolute),
                                       threeDigits(error.own.ulps), threeDigits(error.inherited.absolute)});
        }
        cells.insert(cells.end(), {std::string(base::wordOf(error.verdict)), error.reason});
        table.add(std::move(cells));
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
    text += "  " + checkedText(compared) + ", " + std::to_string(compared.count(NodeVerdict::Wrong)) +
            " wrong in all\n";
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
    std::vector<std::string> cells{title, "", "", "", "", error ? firstLine(error->message) : ""};
    if (compared) {
        cells[1] = std::to_string(row.checked);
        cells[2] = row.notChecked > 0 ? std::to_string(row.notChecked) : "";
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
    m_table.add(std::move(cells));
}

std::string ReferenceSummary::text() const {
    return m_table.shown() + std::to_string(m_answer.graphs) + " graphs: " + std::to_string(m_answer.right) +
           " without a wrong op, " + std::to_string(m_answer.wrong) + " with one, " +
           std::to_string(m_answer.graphs - m_answer.right - m_answer.wrong) +
           " that could not be compared to the end\n";
}

} // namespace aotscope::cli
