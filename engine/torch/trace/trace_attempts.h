#pragma once

#include "fake/shape_environment.h"

#include "aot/retrace.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Thrown when a trace can continue only for sizes that satisfy a guard.
struct GuardNeeded : std::runtime_error {
    explicit GuardNeeded(const std::string& expression)
        : std::runtime_error("no sizes were found for which " + expression + " holds"), guard(expression) {}
    std::string guard;
};

/// The equalities of sizes (`Eq(s2, s77)`, `Eq(s2, 8)`) among the guards that a trace added, without those it
/// started with.
[[nodiscard]] std::vector<std::string> newlyFoundEqual(const std::vector<aot::RetraceGuard>& guards,
                                                       const SymbolChoice& choice);

/// Traces a function, and tries other values for its symbols when the trace fails: the known guards are only
/// part of what a program requires of its sizes. When a trace finds symbols equal, it is repeated with one
/// symbol for both, because PyTorch prints all sizes with the final replacements. `trace` may throw
/// GuardNeeded to be repeated with that guard. The notes of the result list the attempts and their reasons.
/// Throws what the last attempt throws, and Canceled.
[[nodiscard]] aot::RetraceResult
inAttempts(std::size_t symbols, const std::function<aot::RetraceResult(const SymbolChoice&)>& trace);

} // namespace aotscope::torch
