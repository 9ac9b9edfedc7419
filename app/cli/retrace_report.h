#pragma once

#include "json_text.h"
#include "retrace_numbers.h"

#include "contract/retrace_snapshot.h"

#include "aot/graph_signature.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A re-traced compile and its name for people.
struct RetraceRun {
    /// "mlp.log:0/0"
    std::string title;
    session::RetraceSnapshotPtr snapshot;
    /// From a golden file, if requested.
    std::vector<NumberRun> numbers = {};
    /// Set for an exported graph.
    std::optional<base::Result<aot::GraphSignature>> signature = {};
};

/// "mlp.log:0/0  joint  equal", followed by lines on what differs or cannot be traced.
[[nodiscard]] std::string retraceText(const RetraceRun& run);
/// What is behind the verdicts on graph and metadata: compared, not compared, configuration.
[[nodiscard]] std::string explainedText(const RetraceRun& run);
/// What the cache of compiled functions did, and why; empty: the re-trace did not use it.
[[nodiscard]] std::string cacheText(const session::RetraceSnapshot& snapshot);
[[nodiscard]] std::string cacheText(const aot::CacheOutcome& outcome, const std::string& name = "cache");
[[nodiscard]] Json cacheJson(const aot::CacheOutcome& outcome);
/// One line per guard: the expression, the node that needs it, the source line.
[[nodiscard]] std::string guardsText(const std::vector<aot::RetraceGuard>& guards);
/// One line per requested stage: its nodes, and how many the stage changed.
[[nodiscard]] std::string stagesText(const session::RetraceSnapshot& snapshot);
/// The signature of an exported graph as PyTorch prints it, or why there is none.
[[nodiscard]] std::string signatureText(const RetraceRun& run);
/// "model.py:41 in forward: x = self.fc(x)"
[[nodiscard]] std::string placeText(const ir::SourceLocation& source);
[[nodiscard]] Json retraceJson(const std::vector<RetraceRun>& runs);

} // namespace aotscope::cli
