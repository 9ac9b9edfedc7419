#pragma once

#include "session/snapshots.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Numbers that a graph computed here beside others.
namespace aotscope::session {

struct NumberComparison {
    std::size_t tensors = 0;
    /// The largest difference, in units of the largest magnitude of its tensor; infinite where shapes, dtypes
    /// or NaNs differ, and where numbers that are not read (8-bit floats) are not the same bytes.
    double worst = 0;
    /// 1e-5, more where the graph computes in a narrower float than float32.
    double allowed = 0;
    /// Positions of values that are further apart than allowed.
    std::vector<std::size_t> apart;
    /// Numbers that are NaN on both sides, and so say nothing; of a complex number each part counts.
    std::size_t notNumbers = 0;
    /// As many values were made as expected.
    bool sameCount = true;
    [[nodiscard]] bool agrees() const { return sameCount && apart.empty(); }
};

/// How far from a tensor's largest magnitude its numbers may lie when a graph computes them:
/// NumberComparison's `allowed`.
[[nodiscard]] double allowedDistance(const ir::Graph& graph);

/// Of the finite ones; infinite for a dtype whose numbers are not read (8-bit floats).
[[nodiscard]] double largestMagnitude(const aot::TensorData& data);

/// Takes gradients out of what is expected whose summands cancel out, as those of a bias in front of a
/// normalization: what is left is rounding, another one in each order of summing. Says how many.
/// `descriptors`: what is at each position.
std::size_t leaveOutRounding(const std::vector<ir::Descriptor>& descriptors,
                             const std::vector<aot::TensorData>& made,
                             std::vector<std::optional<aot::TensorData>>& expected, double allowed);

/// What `graph` made beside what was expected, by position; nothing stands for a value that is not compared.
[[nodiscard]] NumberComparison compareNumbers(const ir::Graph& graph,
                                              const std::vector<aot::TensorData>& made,
                                              const std::vector<std::optional<aot::TensorData>>& expected);

} // namespace aotscope::session
