#include "passes/knapsack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aotscope::passes {
namespace {

constexpr double quanta = 10000;

/// In ten-thousandths, halves rounded to even as Python does.
std::int64_t quantized(double value) {
    return static_cast<std::int64_t>(std::nearbyint(value * quanta));
}

/// Adds one item to a profile, which holds the best runtime for each capacity, in single precision.
void addItem(std::span<float> profile, std::size_t memory, float runtime) {
    if (memory == 0) {
        std::ranges::for_each(profile, [runtime](float& value) { value += runtime; });
        return;
    }
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
    std::ranges::fill(profile, 0.0F);
    for (std::size_t i = start; i < end; ++i) {
        addItem(profile, memory[i], static_cast<float>(runtime[i]));
    }
}

/// dp_knapsack: dynamic programming over all capacities, with quantized memory.
KnapsackChoice dpKnapsack(std::span<const double> memory, std::span<const double> runtime, double maxMemory) {
    const std::size_t count = memory.size();
    const auto capacity = static_cast<std::size_t>(std::max<std::int64_t>(quantized(maxMemory), 0));
    std::vector<float> row(capacity + 1, 0.0F);
    std::vector<float> before;
    // changed[i][j]: item i changed the best runtime for capacity j. The walk back needs nothing else.
    std::vector<std::vector<bool>> changed(count);
    for (std::size_t i = 0; i < count; ++i) {
        before = row;
        addItem(row, static_cast<std::size_t>(quantized(memory[i])), static_cast<float>(runtime[i]));
        changed[i].resize(capacity + 1);
        for (std::size_t j = 0; j <= capacity; ++j) {
            changed[i][j] = row[j] != before[j];
        }
    }
    KnapsackChoice choice;
    choice.runtime = row[capacity];
    std::size_t left = capacity;
    for (std::size_t i = count; i-- > 0;) {
        const bool isSaved = changed[i][left];
        (isSaved ? choice.saved : choice.recomputable).push_back(i);
        left -= isSaved ? static_cast<std::size_t>(quantized(memory[i])) : 0;
    }
    std::ranges::reverse(choice.saved);
    return choice;
}

/// greedy_knapsack: takes the items that fit, by descending runtime per memory.
KnapsackChoice greedyKnapsack(std::span<const double> memory, std::span<const double> runtime,
                              double maxMemory) {
    KnapsackChoice choice;
    double used = 0;
    for (const std::size_t i : byWorth(memory, runtime)) {
        const bool fits = used + memory[i] <= maxMemory;
        (fits ? choice.saved : choice.recomputable).push_back(i);
        used += fits ? memory[i] : 0;
        choice.runtime += fits ? runtime[i] : 0;
    }
    return choice;
}

/// dp_knapsack_sliding_hirschberg: splits the items in halves; needs memory linear in the capacity.
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
    std::ranges::sort(choice.saved);
    std::ranges::sort(choice.recomputable, std::greater<>());
    for (const std::size_t i : choice.saved) {
        choice.runtime += runtime[i];
    }
    return choice;
}

/// Branch and bound in place of ilp_knapsack's solver.
KnapsackChoice exactKnapsack(std::span<const double> memory, std::span<const double> runtime,
                             double maxMemory) {
    const BranchAndBound search(memory, runtime, maxMemory);
    KnapsackChoice choice;
    choice.isComplete = search.isComplete();
    for (std::size_t i = 0; i < memory.size(); ++i) {
        (search.best()[i] ? choice.saved : choice.recomputable).push_back(i);
        choice.runtime += search.best()[i] ? runtime[i] : 0;
    }
    return choice;
}

/// The shares of memory and of recomputed runtime that a budget leads to.
struct CurvePoint {
    double budget = 0;
    double memory = 0;
    double runtime = 0;
};

CurvePoint evaluate(std::span<const double> memory, std::span<const double> runtime, double budget) {
    const KnapsackChoice choice = dpKnapsack(memory, runtime, budget);
    CurvePoint point;
    point.budget = budget;
    for (const std::size_t i : choice.recomputable) {
        point.runtime += runtime[i];
    }
    for (const std::size_t i : choice.saved) {
        point.memory += memory[i];
    }
    const double allRuntime = std::accumulate(runtime.begin(), runtime.end(), 0.0);
    const double allMemory = std::accumulate(memory.begin(), memory.end(), 0.0);
    point.runtime = allRuntime > 0 ? point.runtime / allRuntime : 0;
    point.memory = allMemory > 0 ? point.memory / allMemory : 0;
    return point;
}

/// The budget whose point on the memory-runtime curve, both scaled to 0 … 1, is nearest to the origin
/// (KnapsackEvaluator.get_knee_point_memory_budget).
double kneeBudget(std::span<const double> memory, std::span<const double> runtime, double maxMemory) {
    constexpr double least = 0.001;
    constexpr int points = 100;
    std::vector<CurvePoint> curve;
    curve.reserve(points);
    for (int i = 0; i < points; ++i) {
        curve.push_back(evaluate(memory, runtime, least + i * (maxMemory - least) / (points - 1)));
    }
    const auto runtimes = std::ranges::minmax(curve, {}, &CurvePoint::runtime);
    const auto memories = std::ranges::minmax(curve, {}, &CurvePoint::memory);
    const double runtimeRange = runtimes.max.runtime - runtimes.min.runtime;
    const double memoryRange = memories.max.memory - memories.min.memory;
    if (runtimeRange == 0 || memoryRange == 0) {
        return maxMemory;
    }
    const auto distance = [&](const CurvePoint& point) {
        const double r = (point.runtime - runtimes.min.runtime) / runtimeRange;
        const double m = (point.memory - memories.min.memory) / memoryRange;
        return std::sqrt(r * r + m * m);
    };
    return std::ranges::min_element(curve, {}, distance)->budget;
}

} // namespace

KnapsackChoice solveKnapsack(BudgetSolver solver, std::span<const double> memory,
                             std::span<const double> runtime, double maxMemory) {
    switch (solver) {
    case BudgetSolver::Dp:
        break;
    case BudgetSolver::Greedy:
        return greedyKnapsack(memory, runtime, maxMemory);
    case BudgetSolver::Ilp:
        return exactKnapsack(memory, runtime, maxMemory);
    case BudgetSolver::DpKnapsackSlidingHirschberg:
        return hirschbergKnapsack(memory, runtime, maxMemory);
    case BudgetSolver::DynamicMemoryBudgetDp:
        return dpKnapsack(memory, runtime, kneeBudget(memory, runtime, maxMemory));
    }
    return dpKnapsack(memory, runtime, maxMemory);
}

} // namespace aotscope::passes
