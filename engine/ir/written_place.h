#pragma once

#include "ir/graph.h"

#include <optional>
#include <string_view>

/// Places in a program as a person writes them at a breakpoint.
namespace aotscope::ir {

/// "model.py:41". The file may be the end of a path.
struct WrittenLine {
    std::string_view file;
    /// From 1.
    int line = 0;
};
/// Nothing: the text is no file and line. The result points into the text.
[[nodiscard]] std::optional<WrittenLine> readLine(std::string_view text);

/// Whether a node's source is that line: the file's path is the written one, or ends with it in whole parts.
[[nodiscard]] bool isAtLine(const SourceLocation& source, const WrittenLine& written);

/// Whether a call target ("aten.mm.default") has that name: `mm`, `aten.mm` or `aten.mm.default`.
[[nodiscard]] bool isOperatorNamed(std::string_view target, std::string_view name);

} // namespace aotscope::ir
