#pragma once

#include "dispatch/operators.h"
#include "run/run_context.h"

#include <string_view>

namespace aotscope::torch {

/// Computes an operator that exists only in Python, or has no CPU kernel, by other operators. `compute`
/// receives the arguments in schema order; missing ones are None.
struct Replacement {
    std::string_view target;
    /// Parameter names in schema order, separated by blanks, to place keyword arguments.
    std::string_view parameters;
    c10::IValue (*compute)(const std::vector<c10::IValue>& args, RunContext& context);
};

/// The replacement for an FX target; null when there is none and the dispatcher's operator is called.
[[nodiscard]] const Replacement* findReplacement(std::string_view target);

/// Throws RunFailure (run.arguments) when the arguments do not fit.
[[nodiscard]] c10::IValue callReplacement(const Replacement& replacement, std::string_view target,
                                          std::vector<c10::IValue> args, const NamedValues& kwargs,
                                          RunContext& context);

} // namespace aotscope::torch
