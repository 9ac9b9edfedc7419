#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <optional>
#include <string>

namespace aotscope::aot {

/// A guard: a relation between symbols that a trace assumed. Compare torch 2.11, torch/_guards.py:
/// ShapeGuard.
struct RetraceGuard {
    /// "Eq(s77, 5)"
    ir::SymExpr expression;
    /// The program's node whose trace needs it; empty: none.
    std::string node;
    /// The line that node comes from.
    std::optional<ir::SourceLocation> source = {};
    /// True: a fact that a person added, not a guard from the program.
    bool byUser = false;
};
AOTSCOPE_MEMBERS(RetraceGuard, expression, node, source, byUser)

} // namespace aotscope::aot
