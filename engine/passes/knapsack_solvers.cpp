#include "passes/knapsack_solvers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aotscope::passes::detail {
namespace {

constexpr double quanta = 10000;

/// In ten-thousandths, halves rounded to even as Python does.
std::int64_t quantized(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value * quanta));
}

/// Adds one item to a profile, which holds the best runtime for each capacity, in single precision.
void addItem(std::span<float> profile, std::size_t memory, float runtime) {
    for (std::size_t j = profile.size(); j-- > memory;) {
        profile[j] = std::max(profile[j], profile[j - memory] + runtime);
    }
}

std::vector<std::size_t> byWorth(std::span<const double> memory, std::span<const double> runtime) {
    std::vector<std::size_t> items(memory.size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    const auto worth = [&](std::size_t i) {
        return memory[i] == 0 ? std::numeric_limits<double>::infinity() : runtime[i] / memory[i];
    };
    std::ranges::stable_sort(items, std::greater<>(), worth);
    return items;
}

/// Depth-first search, best runtime per memory first; the fractional knapsack bounds the remaining items.
class BranchAndBound {
public:
    BranchAndBound(std::span<const double> memory, std::span<const double> runtime, double capacity)
        : m_memory(memory),
          m_runtime(runtime),
          m_items(byWorth(memory, runtime)),
          m_taken(memory.size(), false),
          m_best(memory.size(), false) {
        search(capacity);
    }
    [[nodiscard]] const std::vector<bool>& best() const { return m_best; }
    [[nodiscard]] bool isComplete() const { return m_isComplete; }

private:
    [[nodiscard]] double bound(std::size_t at, double left) const {
        double value = 0;
        for (; at < m_items.size(); ++at) {
            const std::size_t i = m_items[at];
            if (m_memory[i] > left) {
                return value + m_runtime[i] * left / m_memory[i];
            }
            left -= m_memory[i];
            value += m_runtime[i];
        }
        return value;
    }

    /// Without recursion: takes every item that fits, and from a dead end goes back to the last item taken.
    void search(double left) {
        std::size_t at = 0;
        double value = 0;
        while (m_steps++ < mostSteps) {
            while (at < m_items.size() && value + bound(at, left) > m_bestValue) {
                const std::size_t i = m_items[at++];
                if (m_memory[i] <= left) {
                    m_taken[i] = true;
                    left -= m_memory[i];
                    value += m_runtime[i];
                }
            }
            if (at == m_items.size() && value > m_bestValue) {
                m_bestValue = value;
                m_best = m_taken;
            }
            while (at > 0 && !m_taken[m_items[at - 1]]) {
                --at;
            }
            if (at == 0) {
                m_isComplete = true;
                return;
            }
            const std::size_t i = m_items[at - 1];
            m_taken[i] = false;
            left += m_memory[i];
            value -= m_runtime[i];
        }
    }

    // Bounds the time: items of equal worth can need a number of steps exponential in their number.
    static constexpr std::size_t mostSteps = 2'000'000;

    std::span<const double> m_memory;
    std::span<const double> m_runtime;
    std::vector<std::size_t> m_items;
    std::vector<bool> m_taken;
    std::vector<bool> m_best;
    double m_bestValue = -1;
    std::size_t m_steps = 0;
    bool m_isComplete = false;
};

/// A range of the items with its part of the capacity.
struct Segment {
    std::size_t start = 0;
    std::size_t end = 0;
    std::size_t capacity = 0;
};

void fillProfile(std::span<float> profile, const std::vector<std::size_t>& memory,
                 std::span<const double> runtime, std::size_t start, std::size_t end) {
    std::fill(profile.begin(), profile.end(), 0.0F);
    for (std::size_t i = start; i < end; ++i) {
        const auto gain = static_cast<float>(runtime[i]);
        if (memory[i] == 0) {
            std::for_each(profile.begin(), profile.end(), [gain](float& value) { value += gain; });
        } else if (memory[i] < profile.size()) {
            addItem(profile, memory[i], gain);
        }
    }
}

} // namespace

KnapsackChoice dpKnapsack(std::span<const double> memory, std::span<const double> runtime, double maxMemory) {
    const std::size_t count = memory.size();
    const auto capacity = static_cast<std::size_t>(std::max<std::int64_t>(quantized(maxMemory), 0));
    std::vector<float> row(capacity + 1, 0.0F);
    std::vector<float> before;
    // changed[i][j]: item i changed the best runtime for capacity j. The walk back needs nothing else.
    std::vector<std::vector<bool>> changed(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto weight = static_cast<std::size_t>(quantized(memory[i]));
        const auto gain = static_cast<float>(runtime[i]);
        before = row;
        if (weight == 0) {
            std::for_each(row.begin(), row.end(), [gain](float& value) { value += gain; });
        } else if (weight <= capacity) {
            addItem(row, weight, gain);
        }
        changed[i].resize(capacity + 1);
        for (std::size_t j = 0; j <= capacity; ++j) {
            changed[i][j] = row[j] != before[j];
        }
    }
    KnapsackChoice choice;
    choice.runtime = row[capacity];
    std::size_t left = capacity;
    for (std::size_t i = count; i-- > 0;) {
        if (changed[i][left]) {
            choice.saved.push_back(i);
            left -= static_cast<std::size_t>(quantized(memory[i]));
        } else {
            choice.recomputable.push_back(i);
        }
    }
    std::reverse(choice.saved.begin(), choice.saved.end());
    return choice;
}

KnapsackChoice greedyKnapsack(std::span<const double> memory, std::span<const double> runtime,
                              double maxMemory) {
    KnapsackChoice choice;
    double used = 0;
    for (const std::size_t i : byWorth(memory, runtime)) {
        if (used + memory[i] <= maxMemory) {
            used += memory[i];
            choice.runtime += runtime[i];
            choice.saved.push_back(i);
        } else {
            choice.recomputable.push_back(i);
        }
    }
    return choice;
}

KnapsackChoice hirschbergKnapsack(std::span<const double> memory, std::span<const double> runtime,
                                  double maxMemory) {
    const std::size_t count = memory.size();
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(quantized(maxMemory), 0));
    std::vector<std::size_t> weights(count);
    std::transform(memory.begin(), memory.end(), weights.begin(),
                   [](double value) { return static_cast<std::size_t>(quantized(value)); });
    std::vector<float> left(most + 1);
    std::vector<float> right(most + 1);
    KnapsackChoice choice;
    std::vector<Segment> stack;
    if (count > 0) {
        stack.push_back({0, count, most});
    }
    while (!stack.empty()) {
        const Segment segment = stack.back();
        stack.pop_back();
        const std::size_t length = segment.end - segment.start;
        if (length == 0) {
            continue;
        }
        if (length == 1) {
            const bool fits = weights[segment.start] <= segment.capacity && runtime[segment.start] > 0;
            (fits ? choice.saved : choice.recomputable).push_back(segment.start);
            continue;
        }
        const std::size_t middle = segment.start + length / 2;
        const std::size_t width = segment.capacity + 1;
        fillProfile(std::span(left).first(width), weights, runtime, middle, segment.end);
        fillProfile(std::span(right).first(width), weights, runtime, segment.start, middle);
        std::size_t split = 0;
        for (std::size_t j = 0; j < width; ++j) {
            left[j] += right[width - 1 - j];
            split = left[j] > left[split] ? j : split;
        }
        // As in PyTorch, the first half gets one more than remains, but never more than the whole capacity.
        stack.push_back({segment.start, middle, std::min(width - split, most)});
        stack.push_back({middle, segment.end, std::min(split, most)});
    }
    std::sort(choice.saved.begin(), choice.saved.end());
    std::sort(choice.recomputable.begin(), choice.recomputable.end(), std::greater<>());
    for (const std::size_t i : choice.saved) {
        choice.runtime += runtime[i];
    }
    return choice;
}

KnapsackChoice exactKnapsack(std::span<const double> memory, std::span<const double> runtime,
                             double maxMemory) {
    const BranchAndBound search(memory, runtime, maxMemory);
    KnapsackChoice choice;
    choice.isComplete = search.isComplete();
    for (std::size_t i = 0; i < memory.size(); ++i) {
        if (search.best()[i]) {
            choice.runtime += runtime[i];
            choice.saved.push_back(i);
        } else {
            choice.recomputable.push_back(i);
        }
    }
    return choice;
}

} // namespace aotscope::passes::detail
