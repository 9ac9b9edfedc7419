#pragma once

#include "dispatch/operators.h"
#include "run/run_context.h"

#include <string_view>

namespace aotscope::torch {

/// How an operator that exists in Python only, or without a CPU kernel, is computed by others. Receives its
/// arguments in schema order (missing trailing ones are None).
struct Replacement {
    std::string_view target;
    /// Argument names in order, separated by blanks, so that keywords find their place.
    std::string_view parameters;
    c10::IValue (*compute)(const std::vector<c10::IValue>& args, RunContext& context);
};

/// The replacement for an FX target; null where the dispatcher's own operator is to be called.
[[nodiscard]] const Replacement* findReplacement(std::string_view target);

/// Throws RunFailure (run.arguments) when the arguments do not fit.
[[nodiscard]] c10::IValue callReplacement(const Replacement& replacement, std::string_view target,
                                          std::vector<c10::IValue> args, const NamedValues& kwargs,
                                          RunContext& context);

} // namespace aotscope::torch
