#pragma once

#include "run/executor.h"

namespace aotscope::torch {

/// `auto_functionalized(op, **arguments)`: calls an operator that writes to its arguments on copies of them,
/// and returns its results followed by the copies.
[[nodiscard]] c10::IValue autoFunctionalized(Executor& executor, const Frame& frame, ir::NodeId node);

/// The second form, where `_all_bases` lists what is written to and each mutable argument is a view of a base
/// (`_x_base_index`, `_x_size`, `_x_stride`, `_x_storage_offset`, `_x_alias`, `_x_slice_…`).
[[nodiscard]] c10::IValue autoFunctionalizedV2(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
