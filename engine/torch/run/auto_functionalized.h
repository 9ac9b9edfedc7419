#pragma once

#include "run/executor.h"

namespace aotscope::torch {

/// `auto_functionalized(op, **arguments)`: calls a mutating operator on copies of the arguments that it
/// writes to. Returns its results followed by the copies. Follows torch 2.11,
/// torch/_higher_order_ops/auto_functionalize.py: auto_functionalized_dense.
[[nodiscard]] c10::IValue autoFunctionalized(Executor& executor, const Frame& frame, ir::NodeId node);

/// The second version (auto_functionalized_v2_dense): `_all_bases` lists the mutated tensors, and each
/// mutable argument x is a view of a base (`_x_base_index`, `_x_size`, `_x_stride`, `_x_storage_offset`,
/// `_x_alias`, `_x_slice_…`). The operator may be invoke_subgraph, whose inputs are then named arg0, arg1, ….
[[nodiscard]] c10::IValue autoFunctionalizedV2(Executor& executor, const Frame& frame, ir::NodeId node);

} // namespace aotscope::torch
