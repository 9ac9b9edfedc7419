#pragma once

#include "base/result.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::layout {

struct ChildRun {
    std::string output;
    /// The beginning of its standard error output.
    std::string messages;
};

/// Runs a program (found on PATH unless it has a slash) without a shell, in its own process group. Writes
/// `input` to it and reads its output at the same time, so that neither side can block the other. The whole
/// group is always killed and reaped before this returns.
///
/// Errors: session.canceled, layout.program_missing, layout.program_late (after `limit`),
/// layout.program_failed.
[[nodiscard]] base::Result<ChildRun> runChild(const std::string& program,
                                              const std::vector<std::string>& arguments,
                                              std::string_view input, std::chrono::duration<double> limit,
                                              const std::stop_token& stop);

} // namespace aotscope::layout
