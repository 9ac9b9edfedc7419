#pragma once

#include "contract/rerun_request.h"
#include "contract/rerun_result.h"

#include "base/describe.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

/// A rerun as a file: what a person keeps to compare later reruns with, and what other programs read.
namespace aotscope::session {

inline constexpr const char* rerunSchema = "aotscope.rerun/3";

struct SavedRerun {
    /// The graph, for people ("mlp.log:0/0:joint").
    std::string graph;
    RerunSettings settings;
    RerunResult result;
};
AOTSCOPE_MEMBERS(SavedRerun, graph, settings, result)

/// What a file holds: also what follows from the samples, for other programs.
struct RerunDocument : SavedRerun {
    std::optional<RerunTimes> times;
    std::optional<double> bytesPerSecond;
    std::optional<double> flopsPerSecond;
};
AOTSCOPE_MORE_MEMBERS(RerunDocument, SavedRerun, times, bytesPerSecond, flopsPerSecond)

/// JSON text of `rerunSchema`, a RerunDocument. Outputs are written with their bytes where the result has
/// them.
[[nodiscard]] std::string rerunToJson(const SavedRerun& saved);
/// Of versions 1 and 2 only what a comparison needs is read: no inputs, cost and notes. Errors:
/// rerun.file_syntax, rerun.file_schema (names the member that is missing or malformed).
[[nodiscard]] base::Result<SavedRerun> rerunFromJson(std::string_view json);

} // namespace aotscope::session
