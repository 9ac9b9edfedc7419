#include "runs/value_snapshot.h"

#include "aot/tensor_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::session {

namespace {

/// The elements of a tensor in the plane of two dimensions.
struct Plane {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    /// Distances in elements.
    std::int64_t rowStep = 0;
    std::int64_t columnStep = 0;
    std::int64_t offset = 0;

    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(offset + row * rowStep + column * columnStep);
    }
};

std::vector<std::int64_t> stepsOf(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> steps(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        steps[i - 1] = steps[i] * shape[i];
    }
    return steps;
}

/// Chooses what the window leaves open, and brings its indices into the tensor.
base::Result<ValueWindow> completed(ValueWindow window, const std::vector<std::int64_t>& shape) {
    const std::size_t dimensions = shape.size();
    if (!window.columnDimension && dimensions > 0) {
        window.columnDimension = dimensions - 1;
        if (window.rowDimension == window.columnDimension && dimensions > 1) {
            window.columnDimension = dimensions - 2;
        }
    }
    if (!window.rowDimension && dimensions > 1) {
        window.rowDimension = *window.columnDimension == dimensions - 2 ? dimensions - 1 : dimensions - 2;
    }
    for (const auto& chosen : {window.rowDimension, window.columnDimension}) {
        if (chosen && *chosen >= dimensions) {
            return base::Error{"value.window", "The tensor has " + std::to_string(dimensions) +
                                                   " dimensions, so there is no dimension " +
                                                   std::to_string(*chosen) + "."};
        }
    }
    if (window.rowDimension && window.rowDimension == window.columnDimension) {
        window.rowDimension.reset();
    }
    window.fixed.resize(dimensions, 0);
    for (std::size_t i = 0; i < dimensions; ++i) {
        const bool isShown = i == window.rowDimension || i == window.columnDimension;
        window.fixed[i] =
            isShown ? 0
                    : std::clamp<std::int64_t>(window.fixed[i], 0, std::max<std::int64_t>(shape[i] - 1, 0));
    }
    return window;
}

Plane planeOf(const ValueWindow& window, const std::vector<std::int64_t>& shape) {
    const std::vector<std::int64_t> steps = stepsOf(shape);
    Plane plane;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        plane.offset += window.fixed[i] * steps[i];
    }
    if (window.rowDimension) {
        plane.rows = shape[*window.rowDimension];
        plane.rowStep = steps[*window.rowDimension];
    }
    if (window.columnDimension) {
        plane.columns = shape[*window.columnDimension];
        plane.columnStep = steps[*window.columnDimension];
    }
    return plane;
}

ValueTable tableOf(const aot::TensorElements& elements, const Plane& plane, ValueWindow& window) {
    constexpr std::int64_t mostInOneDirection = 4096;
    constexpr std::int64_t mostCells = 65536;
    const std::int64_t columns = std::clamp<std::int64_t>(window.columns, 0, mostInOneDirection);
    const std::int64_t rows =
        std::clamp<std::int64_t>(window.rows, 0, mostCells / std::max<std::int64_t>(columns, 1));
    window.firstRow = std::clamp<std::int64_t>(window.firstRow, 0, std::max<std::int64_t>(plane.rows - 1, 0));
    window.firstColumn =
        std::clamp<std::int64_t>(window.firstColumn, 0, std::max<std::int64_t>(plane.columns - 1, 0));
    ValueTable table{window.firstRow,
                     window.firstColumn,
                     static_cast<std::size_t>(std::min(rows, plane.rows - window.firstRow)),
                     static_cast<std::size_t>(std::min(columns, plane.columns - window.firstColumn)),
                     {}};
    for (std::size_t row = 0; row < table.rows; ++row) {
        for (std::size_t column = 0; column < table.columns; ++column) {
            table.cells.push_back(
                elements.text(plane.at(window.firstRow + static_cast<std::int64_t>(row),
                                       window.firstColumn + static_cast<std::int64_t>(column))));
        }
    }
    return table;
}

/// The mean of the elements in rows [top, bottom) and columns [left, right); of a large block only every few.
double meanOf(const aot::TensorElements& elements, const Plane& plane, std::int64_t top, std::int64_t bottom,
              std::int64_t left, std::int64_t right) {
    constexpr std::int64_t mostRead = 16;
    const std::int64_t rowStep = std::max<std::int64_t>(1, (bottom - top) / mostRead);
    const std::int64_t columnStep = std::max<std::int64_t>(1, (right - left) / mostRead);
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t row = top; row < bottom; row += rowStep) {
        for (std::int64_t column = left; column < right; column += columnStep) {
            sum += elements.number(plane.at(row, column));
            ++count;
        }
    }
    const double mean = sum / static_cast<double>(count);
    return std::isfinite(mean) ? mean : std::numeric_limits<double>::quiet_NaN();
}

HeatMap heatMapOf(const aot::TensorElements& elements, const Plane& plane) {
    HeatMap map;
    constexpr auto most = static_cast<std::int64_t>(HeatMap::mostCells);
    const std::int64_t rows = std::min(plane.rows, most);
    const std::int64_t columns = std::min(plane.columns, most);
    map.rows = static_cast<std::size_t>(rows);
    map.columns = static_cast<std::size_t>(columns);
    bool hasNumber = false;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            const double mean =
                meanOf(elements, plane, row * plane.rows / rows, (row + 1) * plane.rows / rows,
                       column * plane.columns / columns, (column + 1) * plane.columns / columns);
            map.cells.push_back(mean);
            if (std::isfinite(mean)) {
                map.least = hasNumber ? std::min(map.least, mean) : mean;
                map.greatest = hasNumber ? std::max(map.greatest, mean) : mean;
                hasNumber = true;
            }
        }
    }
    return map;
}

/// How a tensor is an image: the dimensions of its channels, rows and columns.
struct ImageLayout {
    std::size_t channels;
    std::size_t rows;
    std::size_t columns;
};

std::optional<ImageLayout> imageLayout(const std::vector<std::int64_t>& shape) {
    if (shape.size() < 3 || shape.size() > 4) {
        return std::nullopt;
    }
    const std::size_t first = shape.size() - 3;
    const auto isChannels = [&](std::size_t dimension) {
        return shape[dimension] == 1 || shape[dimension] == 3 || shape[dimension] == 4;
    };
    constexpr std::int64_t least = 4;
    if (isChannels(first) && shape[first + 1] >= least && shape[first + 2] >= least) {
        return ImageLayout{first, first + 1, first + 2};
    }
    if (isChannels(first + 2) && shape[first] >= least && shape[first + 1] >= least) {
        return ImageLayout{first + 2, first, first + 1};
    }
    return std::nullopt;
}

/// The number that is black and the one that is white.
std::pair<double, double> scaleOf(const TensorSummary& summary) {
    const double least = summary.minimum.value_or(0);
    const double greatest = summary.maximum.value_or(0);
    if (summary.dtype == "uint8") {
        return {0, 255};
    }
    return least >= 0 && greatest <= 1 && greatest > 0.5 ? std::pair(0.0, 1.0) : std::pair(least, greatest);
}

std::optional<ValueImage> imageOf(const aot::TensorElements& elements, const NodeTensor& tensor,
                                  const ValueWindow& window) {
    const std::vector<std::int64_t>& shape = tensor.data.shape;
    const auto layout = imageLayout(shape);
    if (!layout || elements.isComplex()) {
        return std::nullopt;
    }
    const std::vector<std::int64_t> steps = stepsOf(shape);
    const auto [black, white] = scaleOf(tensor.summary);
    const std::int64_t batch = shape.size() == 4 ? window.fixed[0] * steps[0] : 0;
    constexpr auto most = static_cast<std::int64_t>(ValueImage::mostPixels);
    ValueImage image;
    image.channels = static_cast<std::size_t>(shape[layout->channels]);
    image.height = static_cast<std::size_t>(std::min(shape[layout->rows], most));
    image.width = static_cast<std::size_t>(std::min(shape[layout->columns], most));
    image.pixels.reserve(image.width * image.height * image.channels);
    for (std::size_t y = 0; y < image.height; ++y) {
        const std::int64_t row =
            static_cast<std::int64_t>(y) * shape[layout->rows] / static_cast<std::int64_t>(image.height);
        for (std::size_t x = 0; x < image.width; ++x) {
            const std::int64_t column = static_cast<std::int64_t>(x) * shape[layout->columns] /
                                        static_cast<std::int64_t>(image.width);
            for (std::size_t channel = 0; channel < image.channels; ++channel) {
                const double number = elements.number(static_cast<std::size_t>(
                    batch + row * steps[layout->rows] + column * steps[layout->columns] +
                    static_cast<std::int64_t>(channel) * steps[layout->channels]));
                const double share =
                    white > black && !std::isnan(number) ? (number - black) / (white - black) : 0;
                image.pixels.push_back(
                    static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255)));
            }
        }
    }
    return image;
}

} // namespace

base::Result<ValueSnapshot> viewValue(const NodeValue& value, const ValueWindow& window) {
    if (value.tensors.empty()) {
        return base::Error{"value.no_tensor",
                           "The node returned no tensor.",
                           base::Place{},
                           {},
                           "Choose a node whose result has a shape."};
    }
    ValueSnapshot snapshot;
    snapshot.node = value.node;
    snapshot.origin = value.origin;
    snapshot.outputs = value.tensors.size();
    const std::size_t output = std::min(window.output, value.tensors.size() - 1);
    const NodeTensor& tensor = value.tensors[output];
    snapshot.summary = tensor.summary;
    AOTSCOPE_TRY(chosen, completed(window, tensor.data.shape));
    snapshot.window = std::move(chosen);
    snapshot.window.output = output;
    const Plane plane = planeOf(snapshot.window, tensor.data.shape);
    snapshot.planeRows = plane.rows;
    snapshot.planeColumns = plane.columns;
    const aot::TensorElements elements(tensor.data);
    if (elements.count() > 0) {
        snapshot.table = tableOf(elements, plane, snapshot.window);
        snapshot.heatMap = heatMapOf(elements, plane);
        snapshot.image = imageOf(elements, tensor, snapshot.window);
    }
    return snapshot;
}

base::Result<ValueSnapshotPtr> ValueStore::view(const GraphSnapshotPtr& graph, const LoadValue& command,
                                                const Run& run) {
    const auto node = graph->graph->tryFind(command.node);
    if (!node) {
        return base::Error{"value.no_such_node", "The graph has no node named \"" + command.node + "\"."};
    }
    NodeValuePtr value;
    // Inputs that a person gave are too large to compare.
    const bool mayKeep = command.run.inputs.empty();
    {
        const std::lock_guard lock(m_mutex);
        const bool isKept = mayKeep && m_kept.value && m_kept.graph == graph && m_kept.value->node == *node &&
                            m_kept.seed == command.run.seed && m_kept.device == command.run.device &&
                            m_kept.symbols == command.run.symbols;
        value = isKept ? m_kept.value : nullptr;
    }
    if (!value) {
        RunOptions options = command.run;
        options.statistics = false;
        options.keepOutputs = false;
        options.keepValues = {command.node};
        options.onlyKeptValues = true;
        AOTSCOPE_TRY(ran, run(options));
        if (ran->values.empty()) {
            return ran->error
                       ? *ran->error
                       : base::Error{"value.no_tensor", "The node \"" + command.node + "\" has no value."};
        }
        value = ran->values.front();
        const std::lock_guard lock(m_mutex);
        m_kept =
            mayKeep ? Kept{graph, command.run.seed, command.run.device, command.run.symbols, value} : Kept{};
    }
    auto viewed = viewValue(*value, command.window);
    if (!viewed) {
        base::Error error = std::move(viewed).error();
        error.place.node = command.node;
        return error;
    }
    auto snapshot = std::make_shared<ValueSnapshot>(std::move(viewed).value());
    snapshot->graph = graph;
    snapshot->seed = command.run.seed;
    return ValueSnapshotPtr(std::move(snapshot));
}

void ValueStore::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    if (m_kept.graph && m_kept.graph->reference.log == log) {
        m_kept = {};
    }
}

} // namespace aotscope::session
