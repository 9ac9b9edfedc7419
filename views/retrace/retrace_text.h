#pragma once

#include "contract/retrace_snapshot.h"

#include <QString>

#include <vector>

namespace aotscope::views {

/// "equal", "differs in target at node 12 of 30", "not supported: effect tokens".
[[nodiscard]] QString retraceResultText(const session::RetraceSnapshot& retraced);

/// Everything found about a re-traced compile, as HTML: where it differs from PyTorch's, the path and its
/// reason, inputs with mutations, outputs with aliases, groups of aliases.
[[nodiscard]] QString retraceHtml(const session::RetraceSnapshot& retraced);

/// "3 of 4 equal to PyTorch's, graph and metadata"
[[nodiscard]] QString retraceSummary(const std::vector<session::RetraceSnapshotPtr>& retraces);

} // namespace aotscope::views
