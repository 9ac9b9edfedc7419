#pragma once

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// Strides that an operator's shape function derives from sizes and strides of its arguments, each a quotient
/// of its own: of an image that rows are folded back into. Empty for other operators.
[[nodiscard]] std::vector<c10::SymInt> derivedStrides(const c10::OperatorHandle& op,
                                                      c10::ArrayRef<c10::IValue> arguments);

/// A result beside the first, which has other dimensions.
struct FurtherResult {
    std::vector<c10::SymInt> sizes;
    std::vector<c10::SymInt> strides;
};

/// The sums that attention keeps for its gradient; empty for other operators.
[[nodiscard]] FurtherResult furtherResult(const c10::OperatorHandle& op,
                                          c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
