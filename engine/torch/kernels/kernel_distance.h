#pragma once

#include "kernels/fusion_plan.h"

#include "torch_headers.h"

#include <span>
#include <string>

namespace aotscope::torch {

/// How far a kernel's result is from the one of the graph's own operators.
struct KernelDistance {
    /// The largest difference of two elements. Infinite where only one is NaN or they are not the same
    /// infinity.
    double error = 0;
    /// The largest difference that counts as equal.
    double allowed = 0;
    bool identical = false;
    /// "0.5 in place of 0.25 at element 7"
    std::string worst;
    /// The part of `allowed` for digits lost inside functions, relative to the largest finite magnitude.
    double lost = 0;
    [[nodiscard]] bool agrees() const { return error <= allowed; }
};

/// What limits the accuracy of a group's results.
struct GroupAccuracy {
    /// The largest unit roundoff of the floats on the way; 0: there are none, so that results must be equal.
    double roundoff = 0;
    /// Operators that round, one after the other.
    std::size_t roundings = 1;
    /// Elements that are added up.
    std::int64_t terms = 1;
    /// The largest finite magnitude of a value on the way.
    double magnitude = 0;
    /// The largest finite magnitude of what goes into functions that lose digits inside (gelu: 1 + erf(x),
    /// where LibTorch's own erf for vectors is good to some units of 1); 0: there are none.
    double cancelled = 0;
    /// Whether products or sums on the way may leave the range of the type that they are computed in. Then an
    /// element may be infinite or NaN in one order of the terms and not in another.
    bool overflows = false;
};

/// Compares element by element. Of floats, the difference may be
///     4 u sqrt(n) m + 2 v sqrt(t) g + 8 v c + s
/// with u the roundoff on the way, n the number of roundings, m the result's largest finite magnitude, v the
/// roundoff of sums and functions, t the terms added up, g the largest magnitude on the way, c
/// that of what cancels inside functions, s the dtype's smallest number: functions (exp, tanh, …) of two
/// libraries differ by a unit in the last place, sums by the order of their terms.
[[nodiscard]] KernelDistance distanceOf(const at::Tensor& computed, const at::Tensor& expected,
                                        const GroupAccuracy& accuracy);
/// Whether a result is as near to exact arithmetic as other correct ones: sorted by size, no error is larger
/// than four times the one of the same rank among theirs (of each element the largest of all of them), not
/// counting errors of one rounding to the dtype. Ranks, and not elements, because by chance any element may
/// come out exactly; and not the largest error alone, behind which wrong elements could hide. The first of
/// `correct` is the result of the graph's own operators, whose dtype `computed` must have.
[[nodiscard]] bool isAsNear(const at::Tensor& computed, const at::Tensor& exact,
                            std::span<const at::Tensor> correct);
/// The largest finite magnitude of a tensor's elements, without the ends of the range that masks consist of.
[[nodiscard]] double largestMagnitude(const at::Tensor& tensor);
/// Whether all elements are, that is neither infinite nor NaN.
[[nodiscard]] bool isFinite(const at::Tensor& tensor);
/// Whether numbers of that magnitude, squared or added up, may overflow in what the dtype is computed in.
[[nodiscard]] bool mayOverflow(double magnitude, c10::ScalarType dtype);

} // namespace aotscope::torch
