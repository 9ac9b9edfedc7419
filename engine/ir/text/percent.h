#pragma once

#include "ir/cursor.h"
#include "ir/graph.h"
#include "ir/text/names.h"
#include "ir/text/printer.h"

#include "base/progress.h"

namespace aotscope::ir {

/// Reads the form that `str(graph)` has: `graph():`, then `%x : [num_users=1] = call_function[…](…)` lines.
[[nodiscard]] GraphBuilder readPercentForm(TextCursor& cursor, SymbolCache& symbols,
                                           base::Progress& progress);

/// What stands before the graph.
void beginWithLeadingText(const TextStyle& style, PrintedGraph& out);
/// Writes it back.
void printPercentForm(const Graph& graph, PrintedGraph& out);

} // namespace aotscope::ir
