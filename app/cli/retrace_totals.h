#pragma once

#include "retrace_report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace aotscope::cli {

/// How many re-traces came out how.
struct RetraceTotals {
    std::size_t metadataEqual = 0;
    std::size_t metadata = 0;
    /// Traces that assumed grad mode on, because the file does not say.
    std::size_t gradModeAssumed = 0;
    /// Runs with a logged graph to compare with.
    std::size_t graphs = 0;
    std::size_t equal = 0;
    std::size_t equalUpToNames = 0;
    std::size_t different = 0;
    std::size_t notTraced = 0;
    /// Number of nodes in the logged graphs.
    std::size_t nodes = 0;
    std::size_t equalNodes = 0;
};
AOTSCOPE_MEMBERS(RetraceTotals, metadataEqual, metadata, gradModeAssumed, graphs, equal, equalUpToNames,
                 different, notTraced, nodes, equalNodes)

struct RetraceAnswer : RetraceTotals {
    std::vector<RetracedCompile> compiles = {};
    /// Files that could not be opened.
    std::optional<base::Error> error = {};
};
AOTSCOPE_MORE_MEMBERS(RetraceAnswer, RetraceTotals, compiles, error)
AOTSCOPE_ANSWER(RetraceAnswer, "aotscope.retrace/4")

[[nodiscard]] RetraceAnswer retraceAnswer(const std::vector<RetraceRun>& runs,
                                          const std::optional<base::Error>& error);

[[nodiscard]] RetraceTotals totalsOf(const std::vector<RetraceRun>& runs);
/// The share of equal graphs and of equal nodes.
[[nodiscard]] std::string retraceTotals(const std::vector<RetraceRun>& runs);
/// Whether every logged graph is equal (up to names), with its metadata, and no trace failed.
[[nodiscard]] bool allEqual(const std::vector<RetraceRun>& runs);

} // namespace aotscope::cli
