#pragma once

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <string_view>

namespace aotscope::ir {

/// Reads the text PyTorch prints for a graph module: `print_readable` (Dynamo graphs with Python calls,
/// methods, operators and subscripts; ATen graphs; inline and one-per-line signatures; nested classes;
/// fx_pytree lines; leading comment lines; an "ExportedProgram:" wrapper), the function alone
/// (`GraphModule.code`) and the `graph():` `%name : [num_users=1] = …` form. Nesting and sizes are bounded;
/// input is never trusted.
///
/// Errors: ir.text_syntax with line, column (1-based, counted in bytes) and the offending text;
/// ir.text_too_deep; session.canceled.
[[nodiscard]] base::Result<GraphPtr> parseGraphText(std::string_view text, base::Progress progress = {});

/// Whether the text looks like a graph at all (cheap; for choosing a reader).
[[nodiscard]] bool looksLikeGraphText(std::string_view text);

} // namespace aotscope::ir
