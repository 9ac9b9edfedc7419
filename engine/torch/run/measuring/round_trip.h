#pragma once

#include "run/state/run_context.h"

#include "contract/hook_errors.h"

namespace aotscope::torch {

/// A tensor packed and unpacked.
struct RoundTrip {
    at::Tensor unpacked;
    /// Bytes of the packed tensors.
    std::int64_t storedBytes = 0;
};

/// Runs both graphs of a hook on a tensor. Throws RunFailure, c10::Error, Canceled.
[[nodiscard]] RoundTrip roundTrip(const passes::InlinedHook& hook, const at::Tensor& tensor,
                                  RunContext& context);

/// The difference of two tensors of one shape, in float64; in complex numbers of their absolute values.
/// `size`: what a relative error of 1 is, as a root mean square. Throws RunFailure for tensors of other
/// shapes.
[[nodiscard]] session::RoundTripError roundTripError(const at::Tensor& made, const at::Tensor& right,
                                                     double size);

/// The root of the mean of the squares of a tensor's finite numbers; 0 for one without elements.
[[nodiscard]] double rootMeanSquare(const at::Tensor& tensor);

} // namespace aotscope::torch
