#pragma once

#include "base/verdict.h"
#include "passes/graph_warnings.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Lines that several reports have.
namespace aotscope::cli {

/// Each line of a text with `before` at its begin; ends with a line break.
[[nodiscard]] std::string indentedLines(std::string_view text, std::string_view before);
/// A line for each text, with `before` at its begin.
[[nodiscard]] std::string linesOf(const std::vector<std::string>& texts, std::string_view before);

/// The verdict in one line, or with `explain` with all that is behind it, each line indented by `indent`.
[[nodiscard]] std::string verdictLines(const base::Verdict& verdict, bool explain,
                                       const std::string& indent = "");
/// The heading and lines of each list of a verdict that is not empty, without its word.
[[nodiscard]] std::string explanationOf(const base::Verdict& verdict, const std::string& indent);

/// What a compile's graphs show by themselves: one line per warning, with "  " before each.
[[nodiscard]] std::string warningsText(std::span<const passes::GraphWarning> warnings);

} // namespace aotscope::cli
