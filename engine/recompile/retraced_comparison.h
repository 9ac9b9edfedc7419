#pragma once

#include "contract/retrace_snapshot.h"

namespace aotscope::session {

/// Compares `made` with `logged` and sets verdict, difference and count. With `exact`, source comments,
/// descriptors and the printed text (without trailing spaces) must be equal too.
void compareRetraced(RetraceSnapshot& snapshot, bool exact);

} // namespace aotscope::session
