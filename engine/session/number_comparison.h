#pragma once

#include "session/snapshots.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Numbers that a graph computed here beside others.
namespace aotscope::session {

/// One tensor beside the one that was expected.
struct TensorComparison {
    /// In what was made.
    std::size_t position = 0;
    /// The largest difference, in units of `largest`; infinite where shapes, dtypes or NaNs differ, and where
    /// numbers that are not read (8-bit floats) are not the same bytes.
    double distance = 0;
    /// How large that may be: as allowedDistances.
    double allowed = 0;
    /// The largest magnitude that was expected, of the finite numbers.
    double largest = 0;
    /// Numbers that are NaN on both sides, and so say nothing; of a complex number each part counts.
    std::size_t notNumbers = 0;
    [[nodiscard]] bool agrees() const { return distance <= allowed; }
};

struct NumberComparison {
    /// Every tensor that was expected, in order.
    std::vector<TensorComparison> tensors;
    /// As many values were made as expected.
    bool sameCount = true;

    /// The largest distance.
    [[nodiscard]] double worst() const;
    /// Those that are further apart than allowed.
    [[nodiscard]] std::vector<TensorComparison> apart() const;
    [[nodiscard]] std::size_t notNumbers() const;
    [[nodiscard]] bool agrees() const;
};

/// How far from its largest magnitude the numbers of each returned tensor may lie, by its place among the
/// graph's outputs. Two runs of one operator may part by one unit in the last place of its result, a sum in
/// float32 or float64 by more (its terms are added in another order), and such errors add up along the way as
/// random ones do: twice the unit roundoff, times the root of how many operators that round lie on the
/// longest way from an input, times 8 in a type that also sums in itself. The type is the narrowest float on
/// the way. 0 for what is no float: such numbers are equal or not.
[[nodiscard]] std::vector<double> allowedDistances(const ir::Graph& graph);

/// What `graph` made beside what was expected, by position; nothing stands for a value that is not compared.
/// What comes after the graph's outputs are inputs that it writes to: they may differ as the output that may
/// differ most.
[[nodiscard]] NumberComparison compareNumbers(const ir::Graph& graph,
                                              const std::vector<aot::TensorData>& made,
                                              const std::vector<std::optional<aot::TensorData>>& expected);

} // namespace aotscope::session
