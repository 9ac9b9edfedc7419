#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// Asks of symbolic sizes what PyTorch's shape function of an in-place operator asks, which functionalization
/// runs on meta tensors before it calls the operator that changes nothing. Where a trace records arithmetic
/// as it happens, names count these nodes. Operators that ask nothing are left alone.
void checkAsInPlace(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
