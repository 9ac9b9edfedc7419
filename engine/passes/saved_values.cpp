#include "passes/saved_values.h"

#include "passes/flops.h"
#include "passes/knapsack.h"
#include "passes/value_size.h"

#include "ir/storages.h"

#include <algorithm>
#include <set>

namespace aotscope::passes {
namespace {

constexpr double gigabyte = 1e9;

class Choosing {
public:
    explicit Choosing(const CutInput& input)
        : m_input(input), m_program(input.program), m_bans(input.options.bans) {
        if (input.options.aggressiveRecomputation) {
            m_bans.usedFarApart = false;
            m_bans.longFusibleChains = false;
            m_bans.materializedBackward = false;
            m_bans.notInAllowlist = false;
        }
    }

    base::Result<SavedValues> choose() {
        const double budget = m_input.options.memoryBudget;
        const std::vector<bool>& overwritten = m_input.classes.overwrittenInput;
        const bool canSaveInputs =
            std::ranges::none_of(m_input.classes.inputs, [&overwritten](Index i) { return overwritten[i]; });
        if (budget == 0 && canSaveInputs) {
            m_saved.values = m_input.classes.inputs;
            m_saved.budget = report("save the inputs alone");
            return std::move(m_saved);
        }
        AOTSCOPE_CHECK(solve(m_bans));
        if (budget == 1) {
            return std::move(m_saved);
        }
        return withinBudget(budget);
    }

private:
    base::Result<void> solve(const RecomputeBans& bans, const std::vector<bool>& dontBan = {}) {
        AOTSCOPE_TRY(cut, solveMinCut(m_input, bans, dontBan));
        m_saved.cut = std::move(cut);
        m_saved.values = m_saved.cut->saved;
        return {};
    }

    [[nodiscard]] std::int64_t bytesOf(const std::vector<Index>& values) const {
        std::int64_t total = 0;
        for (const Index i : values) {
            total += m_program[i].bytes;
        }
        return total;
    }

    [[nodiscard]] double gigabytesOf(const std::vector<Index>& values) const {
        return static_cast<double>(bytesOf(values)) / gigabyte;
    }

    [[nodiscard]] BudgetReport report(std::string stage) const {
        BudgetReport made;
        made.stage = std::move(stage);
        made.inputBytes = bytesOf(m_input.classes.inputs);
        made.defaultBytes = m_defaultBytes;
        made.savedBytes = bytesOf(m_saved.values);
        return made;
    }

    /// The first choice within the budget, from the fastest to the leanest; if none, a knapsack.
    base::Result<SavedValues> withinBudget(double budget) {
        m_defaultBytes = bytesOf(m_saved.values);
        m_least = gigabytesOf(m_input.classes.inputs);
        m_most = gigabytesOf(m_saved.values);
        if (m_most <= m_least) {
            m_saved.budget = report("the fastest choice saves less than the inputs");
            return std::move(m_saved);
        }
        RecomputeBans bans = m_bans;
        bans.usedFarApart = false;
        bans.longFusibleChains = false;
        bans.materializedBackward = false;
        AOTSCOPE_CHECK(solve(bans));
        if (shareOf(m_saved.values) < budget) {
            m_saved.budget = report("cheap operators recomputed wherever that saves memory");
            return std::move(m_saved);
        }
        bans.notInAllowlist = false;
        AOTSCOPE_CHECK(solve(bans));
        if (shareOf(m_saved.values) < budget) {
            m_saved.budget = report("everything but random and compute intensive operators recomputed");
            return std::move(m_saved);
        }
        return byKnapsack(bans, budget);
    }

    [[nodiscard]] double shareOf(const std::vector<Index>& values) const {
        return (gigabytesOf(values) - m_least) / (m_most - m_least);
    }

    base::Result<SavedValues> byKnapsack(const RecomputeBans& bans, double budget) {
        std::vector<Index> mustSave;
        const std::vector<Index> candidates = recomputable(mustSave);
        if (candidates.empty() && m_input.options.rules.emptyKnapsackKeepsTheCut) {
            m_saved.budget = report("the leanest cut: there is nothing left for a knapsack to choose");
            return std::move(m_saved);
        }
        if (candidates.empty()) {
            m_saved.values = m_input.classes.inputs;
            m_saved.values.insert(m_saved.values.end(), mustSave.begin(), mustSave.end());
            m_saved.budget = report("save the inputs and what must be saved");
            return std::move(m_saved);
        }
        std::vector<double> memory;
        std::vector<double> runtime;
        ValueSizes sizes(m_program.graph(), m_input.options.rules);
        for (const Index i : candidates) {
            memory.push_back(static_cast<double>(m_program[i].bytes) / gigabyte / (m_most - m_least));
            runtime.push_back(runtimeOf(i, sizes));
        }
        const KnapsackChoice choice =
            solveKnapsack(m_input.options.solver, memory, runtime, std::max(budget, 0.0));
        std::vector<bool> dontBan(m_program.size(), false);
        for (const std::size_t item : choice.recomputable) {
            dontBan[candidates[item]] = true;
        }
        AOTSCOPE_CHECK(solve(bans, dontBan));
        BudgetReport made =
            report(choice.isComplete ? "a knapsack over what is costly to recompute"
                                     : "a knapsack over what is costly to recompute, whose search was "
                                       "stopped: another choice may need less recomputation");
        for (std::size_t item = 0; item < candidates.size(); ++item) {
            const bool again = dontBan[candidates[item]];
            made.items.push_back({m_program[candidates[item]].id, memory[item], runtime[item], !again});
            made.recomputedRuntime += again ? runtime[item] : 0;
        }
        m_saved.budget = std::move(made);
        return std::move(m_saved);
    }

    /// Banned nodes that the budget may recompute, largest first: the backward needs them and they share no
    /// storage with an input. Those that have to be saved go into `mustSave`.
    std::vector<Index> recomputable(std::vector<Index>& mustSave) const {
        const ir::Storages storages = ir::deriveStorages(m_program.graph());
        const auto storageOf = [&](Index i) {
            return m_program[i].value == ValueKind::Tensor ? storages.ofNode[m_program[i].id.index()]
                                                           : ir::noStorage;
        };
        std::set<std::uint32_t> inputs;
        for (const Index i : m_input.classes.inputs) {
            inputs.insert(storageOf(i));
        }
        std::vector<Index> found;
        for (const Index i : m_saved.cut->bans.order) {
            const Item& item = m_program[i];
            const bool foreign = (item.is(OpOverload) && !item.is(OpBuiltin)) || item.is(OpTritonWrapper);
            const bool mayBeIncluded = foreign && m_input.options.nonBuiltinToInclude;
            if (m_input.distance[i] >= unreachableDistance ||
                (inputs.contains(storageOf(i)) && !mayBeIncluded)) {
                continue;
            }
            const bool kept = item.recompute == RecomputeTag::MustSave || m_input.forced[i] == Forced::Save;
            (kept ? mustSave : found).push_back(i);
        }
        std::ranges::stable_sort(found, std::greater<>(), [this](Index i) { return m_program[i].bytes; });
        return found;
    }

    double runtimeOf(Index i, ValueSizes& sizes) const {
        const PartitionOptions& options = m_input.options;
        if (options.runtimes) {
            const auto found = options.runtimes->find(m_program.graph().node(m_program[i].id).name);
            return found == options.runtimes->end() ? 0.0 : found->second;
        }
        if (options.estimator == RuntimeEstimator::Testing) {
            return 1;
        }
        return std::max(nodeFlops(m_program.graph(), m_program[i].id, sizes, options.rules), 1.0);
    }

    const CutInput& m_input;
    const JointProgram& m_program;
    RecomputeBans m_bans;
    SavedValues m_saved;
    std::int64_t m_defaultBytes = 0;
    double m_least = 0;
    double m_most = 0;
};

} // namespace

base::Result<SavedValues> chooseSavedValues(const CutInput& input) {
    return Choosing(input).choose();
}

} // namespace aotscope::passes
