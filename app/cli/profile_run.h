#pragma once

#include "program.h"

#include "contract/run_options.h"
#include "contract/snapshots.h"
#include "runs/profile.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

/// The options of `profile`.
struct ProfileRequest {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    session::RunOptions run;
    /// The log whose graphs are looked for, if `file` is a profiler's trace.
    std::filesystem::path graphs;
};

/// A profiled run, or a profiler's trace beside graphs.
struct ProfileAnswer {
    std::string title;
    session::ProfilePtr profile;
    /// Set for a profiler's trace from another program.
    session::LogSnapshotPtr trace;
    /// "LibTorch 2.11.0 (CPU)"; empty for a trace.
    std::string backend;
    std::vector<std::string> notes;
};

/// Throws Failure.
[[nodiscard]] ProfileAnswer profileAnswer(Program& program, const ProfileRequest& request);

} // namespace aotscope::cli
