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
    /// The beginning of what it wrote to standard error.
    std::string messages;
};

/// Runs a program (found on PATH unless it has a slash) without a shell, in a process group of its own, feeds
/// it `input` and collects what it writes, both at once so that neither side can block the other. The whole
/// group is killed and reaped before this returns, whatever happens.
///
/// Errors: session.canceled, layout.program_missing, layout.program_late, layout.program_failed.
[[nodiscard]] base::Result<ChildRun> runChild(const std::string& program,
                                              const std::vector<std::string>& arguments,
                                              std::string_view input, std::chrono::duration<double> limit,
                                              const std::stop_token& stop);

} // namespace aotscope::layout
