#pragma once

#include "dispatch/operators.h"
#include "run/state/run_context.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// Graphs that were traced on the CPU call what only the CPU's kernels take: its own flash attention, and
/// normalizations whose weights have another dtype than their input. On a GPU they are computed by other
/// operators, in the order and precision that the CPU's kernels have.

/// Whether some calls of the target are.
[[nodiscard]] bool hasCpuOnlyCalls(std::string_view target);
/// Whether a call with these arguments, in schema order, is one of these.
[[nodiscard]] bool isCpuOnly(std::string_view target, const std::vector<c10::IValue>& args);

/// The call's result on the GPU; nothing: the operator takes it itself. A note says what was done instead.
[[nodiscard]] std::optional<c10::IValue> callCpuOnly(const c10::OperatorHandle& op, std::string_view target,
                                                     const std::vector<c10::IValue>& args,
                                                     const NamedValues& kwargs, RunContext& context);

} // namespace aotscope::torch
