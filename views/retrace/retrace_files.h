#pragma once

#include "common/write_file.h"
#include "session/retrace_snapshot.h"

#include <vector>

namespace aotscope::views {

/// A compile that was traced again, and the log it is of.
struct RetracedCompile {
    session::RetraceSnapshotPtr retraced;
    session::LogSnapshotPtr log;
};

/// A folder per compile with its graphs and metadata, named as `aotscope-cli retrace --out` names them, and
/// report.html with what was found of each.
[[nodiscard]] MakeFolder retracedFolder(std::vector<RetracedCompile> compiles);

} // namespace aotscope::views
