#pragma once

#include "session/retrace_snapshot.h"

#include <QString>

namespace aotscope::views {

/// "equal", "differs in target at node 12 of 30", "not supported: effect tokens".
[[nodiscard]] QString retraceResultText(const session::RetraceSnapshot& retraced);

/// Everything found about a compile that was traced again, as HTML: where it parts from PyTorch's, which path
/// was taken and why, inputs with their mutations, outputs with what they alias, aliases as groups.
[[nodiscard]] QString retraceHtml(const session::RetraceSnapshot& retraced);

} // namespace aotscope::views
