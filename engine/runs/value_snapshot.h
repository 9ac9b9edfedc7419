#pragma once

#include "contract/requests.h"
#include "contract/snapshots.h"

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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

/// Keeps the value that was shown last, so that its other parts are shown without another run. Thread-safe.
class ValueStore {
public:
    /// Runs a graph up to the value that the options keep.
    using Run = std::function<base::Result<RunSnapshotPtr>(const RunOptions&)>;

    /// The part of the value that the command asks for, from the kept value or else from `run`. Errors: those
    /// of `run`; value.no_such_node; value.no_tensor; value.window.
    [[nodiscard]] base::Result<ValueSnapshotPtr> view(const GraphSnapshotPtr& graph, const LoadValue& command,
                                                      const Run& run);
    void eraseLog(std::uint32_t log);

private:
    /// The graph is compared by address: a log that was read again has another.
    struct Kept {
        GraphSnapshotPtr graph;
        std::uint64_t seed = 0;
        DeviceChoice device = {};
        ir::SymbolBindings symbols;
        NodeValuePtr value;
    };
    std::mutex m_mutex;
    Kept m_kept;
};

} // namespace aotscope::session
