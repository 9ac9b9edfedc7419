#pragma once

#include "contract/snapshots.h"
#include "contract/value_window.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A single value of a run, in the forms that people look at.
namespace aotscope::session {

/// Elements as texts, row by row.
struct ValueTable {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<std::string> cells;
};

/// The whole plane in at most `mostCells` by `mostCells` cells, each the mean of the elements in it; NaN
/// where one of them is not finite.
struct HeatMap {
    static constexpr std::size_t mostCells = 256;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> cells;
    /// The smallest and largest number in the cells; both 0 if there are none.
    double least = 0;
    double greatest = 0;
};

/// A tensor that looks like an image: sizes of at least 4 by 4 beside a first or last dimension of 1, 3 or 4
/// channels, with at most a batch before. Its least element is black and its greatest white; bytes, and
/// floats from 0 to 1, keep their own scale.
struct ValueImage {
    static constexpr std::size_t mostPixels = 512;
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 0;
    /// Row by row, channel by channel.
    std::vector<std::uint8_t> pixels;
};

struct ValueSnapshot {
    GraphSnapshotPtr graph;
    ir::NodeId node;
    /// How many tensors the node returned.
    std::size_t outputs = 0;
    /// With statistics and histogram.
    TensorSummary summary;
    RunOrigin origin = RunOrigin::Computed;
    /// The window that is shown, complete: dimensions chosen, indices within the tensor.
    ValueWindow window;
    /// Sizes of the plane.
    std::int64_t planeRows = 0;
    std::int64_t planeColumns = 0;
    ValueTable table;
    HeatMap heatMap;
    std::optional<ValueImage> image;
    std::uint64_t seed = 0;
};
using ValueSnapshotPtr = std::shared_ptr<const ValueSnapshot>;

/// Cuts the window out of a value. Dtypes without numbers (packed, quantized) give no table and no pictures.
/// Errors: value.window (a dimension that the tensor does not have).
[[nodiscard]] base::Result<ValueSnapshot> viewValue(const NodeValue& value, const ValueWindow& window);

} // namespace aotscope::session
