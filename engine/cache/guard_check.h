#pragma once

#include "aot/retrace_guard.h"
#include "ir/symbolic/expression.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cache {

/// A guard of a stored compile that does not hold for a new call.
struct FailedGuard {
    /// "Eq(s77, 5)"
    std::string expression;
    /// "s77 = 7"; or why it has no value.
    std::string values;
    /// The line of the program that needs it; empty: unknown.
    std::string place;

    /// "guard Eq(s77, 5) fails: s77 = 7 (model.py:12)"
    [[nodiscard]] std::string text() const;
};

/// The first guard that does not hold for these values of the symbols; nothing: all hold. A guard that cannot
/// be computed counts as failed. Guards on symbols that only the data decides (u0, zuf0) are checked by the
/// compiled function, not here. Follows torch 2.15, torch/_inductor/codecache.py: GuardedCache.
[[nodiscard]] std::optional<FailedGuard> firstFailedGuard(const std::vector<aot::RetraceGuard>& guards,
                                                          const ir::SymbolBindings& values);

} // namespace aotscope::cache
