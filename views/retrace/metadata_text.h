#pragma once

#include "session/retrace_snapshot.h"

#include <QString>

namespace aotscope::views {

/// What AOTAutograd found about a function that was traced: its inputs, outputs and tangents, those that
/// share one memory as groups, marked where PyTorch found something else. Empty where nothing was traced.
[[nodiscard]] QString metadataHtml(const session::RetraceSnapshot& retraced);

/// What the trace took for granted about symbols, with who asked (a link "node:NAME" to the program's node)
/// and the source line.
[[nodiscard]] QString guardsHtml(const session::RetraceSnapshot& retraced);

} // namespace aotscope::views
