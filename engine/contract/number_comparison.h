#pragma once

#include "base/describe.h"
#include "contract/snapshots.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Compares numbers computed here with expected ones.
namespace aotscope::session {

/// One tensor compared with the expected one.
struct TensorComparison {
    /// Index in the computed values.
    std::size_t position = 0;
    /// The largest difference as a fraction of `largest`. Infinite if shapes, dtypes or NaNs differ, or if
    /// the dtype has no numbers (packed or quantized) and the bytes differ.
    double distance = 0;
    /// The largest distance that counts as equal (allowedDistances).
    double allowed = 0;
    /// The largest finite magnitude that was expected.
    double largest = 0;
    /// Values that are NaN on both sides and therefore not compared. The parts of a complex number count
    /// separately.
    std::size_t notNumbers = 0;
    /// It is only within what other roundings make of it, and these move it by so much that its numbers
    /// decide nothing.
    bool undecided = false;
    [[nodiscard]] bool agrees() const { return distance <= allowed; }
};
AOTSCOPE_MEMBERS(TensorComparison, position, distance, allowed, largest, notNumbers, undecided)

struct NumberComparison {
    /// One for each expected tensor, in order.
    std::vector<TensorComparison> tensors;
    /// Whether there are as many computed as expected values.
    bool sameCount = true;
    /// Positions of values of which nothing is expected, so that they are not compared.
    std::vector<std::size_t> missing = {};

    /// The largest distance of any tensor.
    [[nodiscard]] double worst() const;
    /// The tensors whose distance is larger than allowed.
    [[nodiscard]] std::vector<TensorComparison> apart() const;
    [[nodiscard]] std::vector<TensorComparison> undecided() const;
    [[nodiscard]] std::size_t notNumbers() const;
    [[nodiscard]] bool agrees() const;
};

/// For each output of the graph: how far its numbers are apart at most in most graphs, as a fraction of the
/// tensor's largest magnitude. What is further apart has to be measured (allowSpread): exponentials,
/// divisions and differences that cancel make more of a rounding, and a value beside a boundary of a narrower
/// dtype may be rounded to either side. Two correct runs of an operator may differ by one unit in the last
/// place, float32 and float64 sums by more because terms are added in another order, and such errors
/// accumulate like random ones. So it is 2 u sqrt(n), with u the unit roundoff of the narrowest float type on
/// the way, n the number of rounding operators on the longest path from an input; times 8 if u is at most
/// that of float32, since such types also sum in themselves. 0 for dtypes that are not floats: they must be
/// equal.
[[nodiscard]] std::vector<double> allowedDistances(const ir::Graph& graph);
/// The same for inputs that the graph writes to: the largest of its outputs' and of those of values that
/// nothing uses, as those of `copy_`. A graph may return nothing else (an optimizer's step).
[[nodiscard]] double allowedDistanceOfMutations(const ir::Graph& graph);

/// Compares the values that `graph` computed with the expected ones, by position; nothing marks a value that
/// is not compared. Values after the graph's outputs are inputs that it mutates; they are allowed
/// allowedDistanceOfMutations.
[[nodiscard]] NumberComparison compareNumbers(const ir::Graph& graph,
                                              const std::vector<aot::TensorData>& made,
                                              const std::vector<std::optional<aot::TensorData>>& expected);

/// Lets each tensor also be four times as far apart as other roundings move it, or four roundings of its
/// dtype. `spread` has one entry per computed value: as TensorComparison::distance.
void allowSpread(NumberComparison& comparison, const std::vector<aot::TensorData>& made,
                 const std::vector<double>& spread);
/// For each value the largest distance between two runs of the same graph; `spread` grows. Shapes, infinities
/// or NaNs that differ say nothing of how far finite numbers may be apart.
void growSpread(std::vector<double>& spread, const std::vector<aot::TensorData>& made,
                const std::vector<aot::TensorData>& again);
/// Where values are apart, allows what other roundings change: the recorded call ran on another machine,
/// whose kernels add in another order. `runAgain` runs the same graph on the same inputs with this
/// RunOptions::roundingNoise; nothing: that run failed.
void allowOtherRoundings(
    NumberComparison& comparison, const std::vector<aot::TensorData>& made,
    const std::function<std::optional<std::vector<aot::TensorData>>(std::uint64_t noise)>& runAgain);

} // namespace aotscope::session
