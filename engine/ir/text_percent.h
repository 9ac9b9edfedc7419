#pragma once

#include "ir/graph.h"
#include "ir/text_cursor.h"
#include "ir/text_names.h"

#include "base/progress.h"

namespace aotscope::ir {

/// Reads the form that `str(graph)` has: `graph():`, then `%x : [num_users=1] = call_function[…](…)` lines.
[[nodiscard]] Graph readPercentForm(TextCursor& cursor, SymbolCache& symbols, base::Progress& progress);

} // namespace aotscope::ir
