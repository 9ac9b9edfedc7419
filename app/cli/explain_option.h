#pragma once

#include "command_line.h"

#include "base/verdict.h"

#include <string>

/// How commands say a verdict.
namespace aotscope::cli {

/// Adds `--explain`: after each verdict what was compared, under which configuration and tolerance, and what
/// was not. `explain` must outlive the command. Returns the option.
Option addExplainOption(Command command, bool& explain);

/// The verdict in one line, or with `explain` with all that is behind it, each line indented by `indent`.
/// Ends with a line break.
[[nodiscard]] std::string verdictLines(const base::Verdict& verdict, bool explain,
                                       const std::string& indent = "");

} // namespace aotscope::cli
