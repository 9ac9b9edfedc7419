#pragma once

#include "ir/graph.h"

#include <optional>
#include <string_view>

namespace aotscope::ir {

/// The frame that a line of a traceback names, without its code: `File "model.py", line 115, in forward`;
/// nothing: the line names none.
[[nodiscard]] std::optional<SourceLocation> frameOf(std::string_view line);

/// The innermost frame of a traceback, which is the place that print_readable shows of a node. Follows torch
/// 2.15, torch/fx/graph.py: _parse_stack_trace. Nothing: the text has no frame with its code.
[[nodiscard]] std::optional<SourceLocation> innermostSource(std::string_view traceback);

} // namespace aotscope::ir
