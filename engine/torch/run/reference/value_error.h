#pragma once

#include "run/reference/reference_frame.h"

#include "contract/reference_run.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// A tensor of the run, the node's exact result on the run's inputs, and the reference's value. All have the
/// same shape; `exact` and `reference` are float64 where `computed` is a float.
struct ComparedValue {
    at::Tensor computed;
    at::Tensor exact;
    at::Tensor reference;
    /// The unit roundoff of products inside the operator where they are coarser than its dtype, else 0.
    double productRoundoff = 0;
    /// How large sums of products of the operator's inputs can become on the way to its result.
    double largestSum = 0;
};

/// Sets the sizes of the errors, what is explained, the verdict and the worst element. An own error is
/// explained at an element e if it is at most
///     2 u |e| + 16 v m + s + `sensitivity`
/// with u the unit roundoff of the run's dtype, v that of what its kernels compute in (float32 for smaller
/// types, TensorFloat-32 where a GPU multiplies in it), m the exact result's largest magnitude, s the dtype's
/// smallest number. A result that overflows to ±inf counts as exact; where a tensor has such numbers, or sums
/// on the way to it can, partial sums of its others may overflow too, so that any infinite or NaN element is
/// explained. An element is also explained if one of `alternatives`, exact results on slightly other inputs,
/// explains it: results that jump (comparisons, floor) may jump elsewhere. Integers and bools must be equal.
void measureErrors(const ComparedValue& value, double sensitivity, std::span<const at::Tensor> alternatives,
                   session::NodeError& error);

/// ComparedValue::largestSum of an operator with these inputs.
[[nodiscard]] double largestSumOf(std::span<const at::Tensor> inputs);

/// Whether infinite or NaN elements are explained although the exact result has finite ones in their places.
[[nodiscard]] bool overflowsInside(const ComparedValue& value);

/// The values around one node of the reference.
struct NodeValues {
    /// By node index of the reference's graph: inputs in float64, and the run's own.
    const std::vector<c10::IValue>& inputs;
    const std::vector<c10::IValue>& own;
    /// The run's results.
    const std::vector<at::Tensor>& results;
};

/// How strongly a node's results react to their inputs' last places: the exact results on inputs that were
/// changed a little, all results of one change after the other. `shifts` draws the directions of the changes.
[[nodiscard]] std::vector<at::Tensor> resultsNearby(ReferenceFrame& reference, const ir::Graph& graph,
                                                    ir::NodeId node, const NodeValues& values,
                                                    at::Generator& shifts);

/// Measures the errors of one of the node's results again, and explains what the results on shifted inputs
/// explain.
void measureErrors(const ComparedValue& compared, std::span<const at::Tensor> nearby, std::size_t output,
                   std::size_t outputs, session::NodeError& error);

/// The largest finite difference of two float64 tensors of one shape.
[[nodiscard]] double largestDifference(const at::Tensor& left, const at::Tensor& right);

} // namespace aotscope::torch
