#pragma once

#include "memory/memory_profile.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aotscope::memory {

/// Positions gathered into as many cells as a picture has columns; each cell stands for the position in it
/// that needs most, so that no peak is lost.
struct Cells {
    /// First position of each cell, and one past the last.
    std::vector<std::uint32_t> begin;
    /// The position each cell stands for, ascending.
    std::vector<std::uint32_t> position;

    [[nodiscard]] std::size_t size() const { return position.size(); }
};

/// Positions from `from` up to `end` in at most `most` cells. `bytes` is a curve of the profile.
[[nodiscard]] Cells gatherCells(std::span<const std::int64_t> bytes, std::uint32_t from, std::uint32_t end,
                                std::size_t most);
/// Cells that begin at these positions, ascending; the last is one past the last cell's end.
[[nodiscard]] Cells gatherCells(std::span<const std::int64_t> bytes, std::vector<std::uint32_t> begins);

/// Cells from `from` up to `end` over which a band lies between the same bytes.
struct BandRun {
    std::uint32_t from = 0;
    std::uint32_t end = 0;
    std::int64_t base = 0;
    std::int64_t bytes = 0;
};

struct Band {
    /// Of MemoryProfile::ranges; nothing: all of the category that is too small for a band of its own.
    std::optional<std::uint32_t> range;
    Category category = Category::Temporary;
    std::vector<BandRun> runs;
};

/// The picture of a profile: values as bands on top of each other, by category, and in each the longest-lived
/// lowest, so that the bottom lies still and the top moves.
class BandStack {
public:
    explicit BandStack(const MemoryProfile& profile);

    enum class Inputs : std::uint8_t { Shown, Hidden };
    /// Bands from the lowest up; what is smaller than `smallest` bytes is one band per category. The heights
    /// add up to the profile's curve at every cell, with or without its inputs.
    [[nodiscard]] std::vector<Band> stack(const Cells& cells, std::int64_t smallest, Inputs inputs) const;

    /// From the lowest up.
    [[nodiscard]] static std::span<const Category> order();

private:
    /// What the stack needs of a range, close together.
    struct Value {
        /// Of MemoryProfile::ranges.
        std::uint32_t range = 0;
        std::uint32_t from = 0;
        std::uint32_t last = 0;
        std::int64_t bytes = 0;
    };

    /// By category: what has bytes, the longest-lived first.
    std::array<std::vector<Value>, categoryCount> m_values;
    /// By category: bytes at each position.
    std::array<std::vector<std::int64_t>, categoryCount> m_bytes;
};

/// Where a position of `shown` lies in `other`: the forwards, the losses and the backwards are laid over one
/// another, each stretched to the same width.
[[nodiscard]] double positionIn(const MemoryProfile& other, const MemoryProfile& shown, double position);

/// Parameters, buffers and other inputs of the step.
[[nodiscard]] bool isTrainingStepInput(Category category);

} // namespace aotscope::memory
