#pragma once

#include "common/write_file.h"
#include "contract/retrace_snapshot.h"

#include <vector>

namespace aotscope::views {

/// A re-traced compile and its log.
struct RetracedCompile {
    session::RetraceSnapshotPtr retraced;
    session::LogSnapshotPtr log;
};

/// Writes a folder per compile with its graphs and metadata, named like those of `aotscope-cli retrace
/// --out`, and report.html with the result of each.
[[nodiscard]] MakeFolder retracedFolder(std::vector<RetracedCompile> compiles);

} // namespace aotscope::views
