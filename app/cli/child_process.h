#pragma once

#include "base/result.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// Runs a program found on PATH, without a shell, feeds it `input` and gives what it wrote to standard
/// output. Killed when stop is requested. Errors: cli.no_such_program, cli.program_failed (with what it
/// said), session.canceled.
[[nodiscard]] base::Result<std::string> runProgram(const std::vector<std::string>& arguments,
                                                   std::string_view input, const std::stop_token& stop);

} // namespace aotscope::cli
