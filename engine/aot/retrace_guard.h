#pragma once

#include "ir/graph.h"

#include <optional>
#include <string>

namespace aotscope::aot {

/// What a trace took for granted about symbols.
struct RetraceGuard {
    /// "Eq(s77, 5)"
    std::string expression;
    /// The program's node that asked; empty: none.
    std::string node;
    /// The line that node comes from.
    std::optional<ir::SourceLocation> source = {};
    /// A person's fact, not asked by the program.
    bool given = false;
};

} // namespace aotscope::aot
