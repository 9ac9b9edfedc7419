#include "golden_partitions.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope;
using namespace aotscope::test;

namespace {

passes::BudgetSolver solverNamed(const std::string& name) {
    if (name == "greedy") {
        return passes::BudgetSolver::Greedy;
    }
    if (name == "dp_knapsack_sliding_hirschberg") {
        return passes::BudgetSolver::DpKnapsackSlidingHirschberg;
    }
    if (name == "dynamic_memory_budget_dp") {
        return passes::BudgetSolver::DynamicMemoryBudgetDp;
    }
    return name == "ilp" ? passes::BudgetSolver::Ilp : passes::BudgetSolver::Dp;
}

std::int64_t bytesOf(const GoldenPartition& golden, const passes::Partition& made,
                     const std::vector<std::string>& names) {
    std::int64_t total = 0;
    for (const std::string& name : names) {
        total += made.report.nodes[golden.joint->tryFind(name)->index()].bytes;
    }
    return total;
}

} // namespace

TEST_CASE("what is saved within an activation-memory budget is what PyTorch saves" * needsCorpus()) {
    const auto answers = nlohmann::json::parse(
        readFile(std::string(AOTSCOPE_TEST_DIR) + "/golden/budget_answers.json"))["programs"];
    std::size_t count = 0;
    int ties = 0;
    forEachGoldenPartition([&](const GoldenPartition& golden) {
        const auto program = answers.find(golden.where.substr(0, golden.where.rfind(' ')));
        if (program == answers.end() || golden.options.partitioner != passes::Partitioner::MinCut) {
            return;
        }
        for (const auto& [solver, budgets] : program->items()) {
            for (const auto& [budget, expected] : budgets.items()) {
                passes::PartitionOptions options = golden.options;
                options.solver = solverNamed(solver);
                options.memoryBudget = std::stod(budget);
                const auto made = passes::partitionJointGraph(golden.joint, options);
                CAPTURE(golden.where);
                CAPTURE(solver);
                CAPTURE(budget);
                REQUIRE(made.ok());
                std::vector<std::string> saved = made->savedTensors;
                saved.insert(saved.end(), made->savedSymbols.begin(), made->savedSymbols.end());
                const auto wanted = expected.get<std::vector<std::string>>();
                // Of choices that are worth the same, the integer program's solver takes any.
                const bool tie = solver == "ilp" && saved.size() == wanted.size() &&
                                 bytesOf(golden, *made, saved) == bytesOf(golden, *made, wanted);
                CHECK((saved == wanted || tie));
                ties += saved == wanted ? 0 : 1;
                ++count;
            }
        }
    });
    CHECK(count > 1500);
    CHECK(ties < 5);
}
