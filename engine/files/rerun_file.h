#pragma once

#include "contract/rerun_request.h"
#include "contract/rerun_result.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

/// A rerun as a file: what a person keeps to compare later reruns with, and what other programs read.
namespace aotscope::session {

struct SavedRerun {
    /// The graph, for people ("mlp.log:0/0:joint").
    std::string graph;
    RerunSettings settings;
    RerunResult result;
};

/// JSON text, schema "aotscope.rerun/2". Times and rates, which follow from the samples, are for other
/// programs. Outputs are written with their bytes where the result has them. Differences that are infinite
/// are null.
[[nodiscard]] std::string rerunToJson(const SavedRerun& saved);
/// Without what a comparison does not need: inputs, cost and notes. Also reads version 1, which left
/// out some of what today is null. Errors: rerun.file_syntax, rerun.file_schema (names the member that is
/// missing or malformed).
[[nodiscard]] base::Result<SavedRerun> rerunFromJson(std::string_view json);

} // namespace aotscope::session
