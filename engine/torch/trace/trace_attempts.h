#pragma once

#include "fake/shape_environment.h"

#include "aot/retrace.h"

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace aotscope::torch {

/// A trace that can only go on for sizes with which a guard holds.
struct GuardNeeded : std::runtime_error {
    explicit GuardNeeded(const std::string& expression)
        : std::runtime_error("no sizes were found for which " + expression + " holds"), guard(expression) {}
    std::string guard;
};

/// Equalities of sizes among guards that a trace took by itself (`Eq(s2, s77)`, `Eq(s2, 8)`), but for those
/// that it began with.
[[nodiscard]] std::vector<std::string> newlyFoundEqual(const std::vector<aot::RetraceGuard>& guards,
                                                       const SymbolChoice& choice);

/// Traces a function with other values for its symbols where the trace does not go through with the first:
/// what a program may ask of sizes, its guards tell only in part. Symbols that the trace finds equal become
/// one, as they do in PyTorch, which prints all its sizes at the end. `trace` may throw GuardNeeded, also
/// when it failed after it found sizes equal: with the equality it may go through. The result's notes say
/// which attempts there were, and why.
[[nodiscard]] aot::RetraceResult
inAttempts(std::size_t symbols, const std::function<aot::RetraceResult(const SymbolChoice&)>& trace);

} // namespace aotscope::torch
