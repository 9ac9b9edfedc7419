#pragma once

#include "memory/memory_profile.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aotscope::memory {

/// Positions grouped into as many cells as a picture has columns. Each cell shows the position in it with the
/// most bytes, so that no peak is lost.
struct Cells {
    /// First position of each cell, and one past the last.
    std::vector<std::uint32_t> begin;
    /// The position that each cell shows, ascending.
    std::vector<std::uint32_t> position;

    [[nodiscard]] std::size_t size() const { return position.size(); }
};

/// The positions [from, end) in at most `most` cells. `bytes` is a curve of the profile, by position.
[[nodiscard]] Cells gatherCells(std::span<const std::int64_t> bytes, std::uint32_t from, std::uint32_t end,
                                std::size_t most);
/// Cells that begin at these ascending positions; the last entry is one past the end of the last cell.
[[nodiscard]] Cells gatherCells(std::span<const std::int64_t> bytes, std::vector<std::uint32_t> begins);

/// The cells [from, end) over which a band has the same base and height, in bytes.
struct BandRun {
    std::uint32_t from = 0;
    std::uint32_t end = 0;
    std::int64_t base = 0;
    std::int64_t bytes = 0;
};

struct Band {
    /// Index in MemoryProfile::ranges; nothing: all values of the category too small for their own band.
    std::optional<std::uint32_t> range;
    Category category = Category::Temporary;
    std::vector<BandRun> runs;
};

/// The stacked picture of a profile: values are bands, grouped by category; in a category the longest live
/// ranges are lowest, so that the lower bands change least.
class BandStack {
public:
    explicit BandStack(const MemoryProfile& profile);

    enum class Inputs : std::uint8_t { Shown, Hidden };
    /// Bands from the lowest up; values smaller than `smallest` bytes share one band per category. At every
    /// cell the heights add up to the profile's curve, with or without inputs.
    [[nodiscard]] std::vector<Band> stack(const Cells& cells, std::int64_t smallest, Inputs inputs) const;

    /// Categories from the lowest up.
    [[nodiscard]] static std::span<const Category> order();

private:
    /// The part of a LiveRange that stacking needs, compact for the cache.
    struct Value {
        /// Index in MemoryProfile::ranges.
        std::uint32_t range = 0;
        std::uint32_t from = 0;
        std::uint32_t last = 0;
        std::int64_t bytes = 0;
    };

    /// By category: values with bytes, the longest live range first.
    std::array<std::vector<Value>, categoryCount> m_values;
    /// By category: bytes at each position.
    std::array<std::vector<std::int64_t>, categoryCount> m_bytes;
};

/// The position in `other` that corresponds to a position of `shown`: forward, loss and backward are each
/// stretched to the same width.
[[nodiscard]] double positionIn(const MemoryProfile& other, const MemoryProfile& shown, double position);

/// Whether it is a category of inputs of the training step: parameters, buffers and other inputs.
[[nodiscard]] bool isTrainingStepInput(Category category);

} // namespace aotscope::memory
