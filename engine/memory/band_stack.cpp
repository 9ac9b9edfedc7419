#include "memory/band_stack.h"

#include "memory/profile_parts.h"

#include <algorithm>

namespace aotscope::memory {
namespace {

constexpr std::array<Category, categoryCount> lowestFirst{
    Category::Parameter,       Category::Buffer,     Category::Input,
    Category::SavedActivation, Category::Gradient,   Category::Output,
    Category::Tangent,         Category::Recomputed, Category::Temporary};

std::size_t indexOf(Category category) {
    return static_cast<std::size_t>(category);
}

/// Extends the last run if base and height are the same.
void addCell(std::vector<BandRun>& runs, std::uint32_t cell, std::int64_t base, std::int64_t bytes) {
    if (!runs.empty() && runs.back().end == cell && runs.back().base == base && runs.back().bytes == bytes) {
        ++runs.back().end;
    } else {
        runs.push_back({cell, cell + 1, base, bytes});
    }
}

/// By position, counted from the first cell's begin: the first cell that shows it or a later one. With this,
/// the cells of a live range are found without a search.
std::vector<std::uint32_t> firstCells(const Cells& cells) {
    std::vector<std::uint32_t> first(cells.begin.back() - cells.begin.front());
    std::uint32_t cell = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        while (cell < cells.size() && cells.position[cell] < cells.begin.front() + i) {
            ++cell;
        }
        first[i] = cell;
    }
    return first;
}

} // namespace

Cells gatherCells(std::span<const std::int64_t> bytes, std::uint32_t from, std::uint32_t end,
                  std::size_t most) {
    end = std::min(end, static_cast<std::uint32_t>(bytes.size()));
    if (from >= end || most == 0) {
        return gatherCells(bytes, {from});
    }
    const std::uint64_t length = end - from;
    const std::uint64_t count = std::min<std::uint64_t>(length, most);
    std::vector<std::uint32_t> begins;
    begins.reserve(count + 1);
    for (std::uint64_t i = 0; i <= count; ++i) {
        begins.push_back(static_cast<std::uint32_t>(from + length * i / count));
    }
    return gatherCells(bytes, std::move(begins));
}

Cells gatherCells(std::span<const std::int64_t> bytes, std::vector<std::uint32_t> begins) {
    Cells cells;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        const auto highest = std::max_element(bytes.begin() + begins[i], bytes.begin() + begins[i + 1]);
        cells.position.push_back(static_cast<std::uint32_t>(highest - bytes.begin()));
    }
    cells.begin = std::move(begins);
    return cells;
}

BandStack::BandStack(const MemoryProfile& profile) {
    std::vector<AliveBytes> alive(categoryCount, AliveBytes(profile.bytes.size()));
    for (std::uint32_t i = 0; i < profile.ranges.size(); ++i) {
        const LiveRange& range = profile.ranges[i];
        if (range.bytes > 0) {
            m_values[indexOf(range.category)].push_back({i, range.from, range.last, range.bytes});
        }
        alive[indexOf(range.category)].add(range.from, range.last + 1, range.bytes);
    }
    std::ranges::transform(alive, m_bytes.begin(),
                           [](AliveBytes& bytes) { return std::move(bytes).curve(); });
    for (auto& values : m_values) {
        std::ranges::stable_sort(values, std::greater<>(), [](const Value& value) {
            return std::pair(value.last - value.from, value.bytes);
        });
    }
}

std::vector<Band> BandStack::stack(const Cells& cells, std::int64_t smallest, Inputs inputs) const {
    std::vector<Band> bands;
    if (cells.size() == 0) {
        return bands;
    }
    std::vector<std::int64_t> top(cells.size(), 0);
    const auto& positions = cells.position;
    const std::vector<std::uint32_t> cellFrom = firstCells(cells);
    const std::uint32_t begin = cells.begin.front();
    const auto cellAt = [&](std::uint32_t position) {
        const std::size_t place = position < begin ? 0 : position - begin;
        return place < cellFrom.size() ? cellFrom[place] : static_cast<std::uint32_t>(cells.size());
    };
    for (const Category category : lowestFirst) {
        if (inputs == Inputs::Hidden && isTrainingStepInput(category)) {
            continue;
        }
        const std::vector<std::int64_t> bottom = top;
        for (const Value& value : m_values[indexOf(category)]) {
            if (value.bytes < smallest) {
                continue;
            }
            const std::uint32_t first = cellAt(value.from);
            const std::uint32_t past = cellAt(value.last + 1);
            if (first >= past) {
                continue;
            }
            Band band{value.range, category, {}};
            for (std::uint32_t cell = first; cell < past; ++cell) {
                addCell(band.runs, cell, top[cell], value.bytes);
                top[cell] += value.bytes;
            }
            bands.push_back(std::move(band));
        }
        Band rest{std::nullopt, category, {}};
        for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
            const std::int64_t small =
                m_bytes[indexOf(category)][positions[cell]] - (top[cell] - bottom[cell]);
            if (small > 0) {
                addCell(rest.runs, cell, top[cell], small);
                top[cell] += small;
            }
        }
        if (!rest.runs.empty()) {
            bands.push_back(std::move(rest));
        }
    }
    return bands;
}

std::span<const Category> BandStack::order() {
    return lowestFirst;
}

double positionIn(const MemoryProfile& other, const MemoryProfile& shown, double position) {
    // Where the phases begin, and the end.
    const auto edgesOf = [](const MemoryProfile& profile) {
        return std::array{0.0, double(profile.forwardEnd), double(profile.backwardBegin),
                          double(profile.bytes.size())};
    };
    const auto from = edgesOf(shown);
    const auto to = edgesOf(other);
    const std::size_t phase = position <= from[1] ? 0 : position <= from[2] ? 1 : 2;
    const double length = from[phase + 1] - from[phase];
    return to[phase] + (length > 0 ? (position - from[phase]) / length * (to[phase + 1] - to[phase]) : 0);
}

bool isTrainingStepInput(Category category) {
    return category == Category::Parameter || category == Category::Buffer || category == Category::Input;
}

} // namespace aotscope::memory
