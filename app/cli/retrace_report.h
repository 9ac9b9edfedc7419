#pragma once

#include "json_text.h"
#include "retrace_numbers.h"

#include "session/retrace_snapshot.h"

#include "aot/graph_signature.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// One compile traced again, with the name a person may call it by.
struct RetraceRun {
    /// "mlp.log:0/0"
    std::string title;
    session::RetraceSnapshotPtr snapshot;
    /// Of a golden file, when asked for.
    std::vector<NumberRun> numbers = {};
    /// Of an exported graph.
    std::optional<base::Result<aot::GraphSignature>> signature = {};
};

/// "mlp.log:0/0  joint  equal", and what differs or cannot be traced in the lines after it.
[[nodiscard]] std::string retraceText(const RetraceRun& run);
/// The share of graphs and of nodes that are equal.
[[nodiscard]] std::string retraceTotals(const std::vector<RetraceRun>& runs);
/// One line per guard: the expression, who asked, and the source line.
[[nodiscard]] std::string guardsText(const std::vector<aot::RetraceGuard>& guards);
/// One line per stage that was asked for: how many nodes, and how many the stage changed.
[[nodiscard]] std::string stagesText(const session::RetraceSnapshot& snapshot);
/// What the inputs and outputs of an exported graph are, as PyTorch prints it, or why there is no signature.
[[nodiscard]] std::string signatureText(const RetraceRun& run);
/// "model.py:41 in forward: x = self.fc(x)"
[[nodiscard]] std::string placeText(const ir::SourceLocation& source);
[[nodiscard]] Json retraceJson(const std::vector<RetraceRun>& runs);
/// Every graph that PyTorch logged is equal (up to names) with its metadata, and none failed to trace.
[[nodiscard]] bool allEqual(const std::vector<RetraceRun>& runs);

} // namespace aotscope::cli
