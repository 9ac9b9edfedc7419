#pragma once

#include "torch_headers.h"

#include <optional>

namespace aotscope::torch {

/// Sums over the absolute differences of two tensors, element by element, in float64.
struct DifferenceSums {
    double largest = 0;
    double sum = 0;
    double squares = 0;
};

/// Reads two real tensors of one shape once. Nothing: they lie on a GPU or are complex, or a sum is not
/// finite.
[[nodiscard]] std::optional<DifferenceSums> differenceSums(const at::Tensor& left, const at::Tensor& right);

/// The sum of the squares of a real tensor's elements, in the same way.
[[nodiscard]] std::optional<double> sumOfSquares(const at::Tensor& tensor);

} // namespace aotscope::torch
