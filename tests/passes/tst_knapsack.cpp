#include "passes/knapsack.h"

#include <doctest/doctest.h>

#include <random>

using namespace aotscope::passes;

namespace {

struct Items {
    std::vector<double> memory;
    std::vector<double> runtime;
};

/// Sizes in five-thousandths plus `offset`, so that sums equal a capacity exactly only if that is intended.
Items randomItems(std::mt19937& random, std::size_t count, double offset) {
    Items items;
    for (std::size_t i = 0; i < count; ++i) {
        items.memory.push_back((static_cast<double>(random() % 1000) + offset) / 5000.0);
        items.runtime.push_back(1 + static_cast<double>(random() % 100));
    }
    return items;
}

double bestByTryingAll(const Items& items, double most) {
    double best = 0;
    for (std::uint32_t chosen = 0; chosen < 1U << items.memory.size(); ++chosen) {
        double memory = 0;
        double runtime = 0;
        for (std::size_t i = 0; i < items.memory.size(); ++i) {
            if ((chosen >> i & 1U) != 0) {
                memory += items.memory[i];
                runtime += items.runtime[i];
            }
        }
        best = memory <= most ? std::max(best, runtime) : best;
    }
    return best;
}

double memoryOf(const Items& items, const KnapsackChoice& choice) {
    double total = 0;
    for (const std::size_t i : choice.saved) {
        total += items.memory[i];
    }
    return total;
}

} // namespace

TEST_CASE("the exact knapsack is the best of all choices") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const Items items = randomItems(random, 1 + random() % 14, 0.37);
        const double most = static_cast<double>(random() % 1000) / 1000.0;
        const KnapsackChoice choice = solveKnapsack(BudgetSolver::Ilp, items.memory, items.runtime, most);
        CHECK(choice.runtime == doctest::Approx(bestByTryingAll(items, most)));
        CHECK(memoryOf(items, choice) <= most + 1e-12);
        CHECK(choice.isComplete);
        CHECK(choice.saved.size() + choice.recomputable.size() == items.memory.size());
    }
}

TEST_CASE("the quantized knapsacks are the best of all choices in ten-thousandths") {
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        const Items items = randomItems(random, 1 + random() % 12, 0);
        const double most = static_cast<double>(random() % 1000) / 1000.0;
        const double best = bestByTryingAll(items, most + 1e-9);
        const auto dp = solveKnapsack(BudgetSolver::Dp, items.memory, items.runtime, most);
        CHECK(dp.runtime == doctest::Approx(best));
        CHECK(dp.saved.size() + dp.recomputable.size() == items.memory.size());
    }
}

TEST_CASE("an exact search that is given up says so") {
    // Of even sizes no sum is odd, so every choice below the capacity might still be improved.
    Items items;
    for (std::size_t i = 0; i < 60; ++i) {
        items.memory.push_back(static_cast<double>(2 * (50 + i)));
        items.runtime.push_back(static_cast<double>(2 * (50 + i)));
    }
    const KnapsackChoice choice = solveKnapsack(BudgetSolver::Ilp, items.memory, items.runtime, 3001);
    CHECK_FALSE(choice.isComplete);
    CHECK(memoryOf(items, choice) <= 3001);
    CHECK(solveKnapsack(BudgetSolver::Dp, items.memory, items.runtime, 1).isComplete);
}

TEST_CASE("nothing to choose from gives nothing") {
    for (const BudgetSolver solver : {BudgetSolver::Dp, BudgetSolver::Greedy, BudgetSolver::Ilp,
                                      BudgetSolver::DpKnapsackSlidingHirschberg}) {
        const auto choice = solveKnapsack(solver, {}, {}, 0.5);
        CHECK(choice.saved.empty());
        CHECK(choice.recomputable.empty());
    }
}
