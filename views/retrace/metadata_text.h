#pragma once

#include "contract/retrace_snapshot.h"

#include <QString>

namespace aotscope::views {

/// The metadata of a re-trace: inputs, outputs and tangents, groups that share memory, marked where PyTorch
/// found something else. Empty if nothing was traced.
[[nodiscard]] QString metadataHtml(const session::RetraceSnapshot& retraced);

/// The guards of a re-trace, each with the program node that needs it (a link "node:NAME") and the source
/// line.
[[nodiscard]] QString guardsHtml(const session::RetraceSnapshot& retraced);

} // namespace aotscope::views
