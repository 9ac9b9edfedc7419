#include "passes/knapsack.h"

#include "passes/knapsack_solvers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aotscope::passes {
namespace {

using namespace detail;

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
