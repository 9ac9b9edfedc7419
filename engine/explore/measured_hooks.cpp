#include "explore/measured_hooks.h"

#include "explore/partition_by_choices.h"
#include "explore/split_retraced.h"

#include "hooks/hook_library.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace aotscope::session {
namespace {

/// The predicted peak of the step with this hook and no other.
std::int64_t peakAlone(const PartitionSnapshot& split, const passes::InlinedHook& hook) {
    const auto made =
        passes::inlineHooks(*split.partition, passes::HookFilter::All, {}, tracedBefore({hook}));
    const passes::Partition& halves = made ? *made : *split.partition;
    return predictedMemory(halves, split.options.staticInputs, split.choices)->peak.bytes;
}

} // namespace

base::Result<HookErrorsSnapshotPtr> measuredHooks(const PartitionSnapshotPtr& split,
                                                  const RunOptions& options, bool eachAlone,
                                                  const PartitionTools& tools, const HookErrorsSink& onPart) {
    const std::vector<passes::InlinedHook>& hooks = split->function.partition->hooks;
    if (hooks.empty()) {
        return base::Error{.code = "session.no_hooks",
                           .message = "No saved tensor has a hook, so there is nothing to measure.",
                           .hint = "Choose a hook, or another mode: by default hooks apply only to tensors "
                                   "that nothing else keeps (donated)."};
    }
    HookErrorsCall call{{split->partition->forward, split->partition->backward,
                         split->partition->forwardOutputs, hooks, options, eachAlone}};
    if (onPart) {
        call.onPart = [&](HookErrors part) {
            onPart(
                std::make_shared<const HookErrorsSnapshot>(HookErrorsSnapshot{split, std::move(part), {}}));
        };
    }
    AOTSCOPE_TRY(errors, tools.measureHooks(call));
    auto snapshot = std::make_shared<HookErrorsSnapshot>();
    snapshot->split = split;
    snapshot->errors = std::move(errors);
    for (std::size_t i = 0; eachAlone && i < hooks.size(); ++i) {
        AOTSCOPE_CHECK(tools.progress.checkStop());
        snapshot->peaksAlone.push_back(peakAlone(*split, hooks[i]));
    }
    return HookErrorsSnapshotPtr(std::move(snapshot));
}

namespace {

/// Which hook each tensor has.
using Taken = std::map<std::string, HookTrial>;

std::string filterFor(const std::string& saved) {
    return "name=" + saved;
}

class Suggesting {
public:
    Suggesting(const SuggestHooks& command, const PartitionTools& tools, const SplitByChoices& split)
        : m_command(command), m_tools(tools), m_split(split), m_made(new HookSuggestionSnapshot) {
        m_made->joint = command.joint;
        m_made->goal = command.goal;
    }

    base::Result<HookSuggestionSnapshotPtr> run() {
        if (!m_command.goal.storedBytes && !m_command.goal.error) {
            return base::Error{.code = "session.no_goal",
                               .message = "There is no goal.",
                               .hint = "Give the bytes that may be stored, the largest error, or both."};
        }
        AOTSCOPE_CHECK(tryCandidates());
        if (m_made->trials.empty()) {
            return base::Error{.code = "session.no_hooks",
                               .message = "None of the hooks saves anything of what is saved here.",
                               .hint = "Choose other hooks, or another mode than donated."};
        }
        std::ranges::stable_sort(m_made->trials, {}, &Suggesting::errorForEachByte);
        takeInOrder();
        if (m_command.goal.storedBytes) {
            AOTSCOPE_CHECK(measureSmall());
            if (m_made->isReached || !m_command.goal.error) {
                return finished();
            }
            // Not exact enough: then as much as the error allows.
        }
        return withErrorBelow();
    }

private:
    static double errorForEachByte(const HookTrial& trial) {
        return trial.error / static_cast<double>(trial.bytes);
    }

    PartitionChoices choicesWith(hooks::HookPlan plan) const {
        PartitionChoices choices = m_command.choices;
        if (choices.hooks) {
            plan.own = choices.hooks->own;
            plan.filter = choices.hooks->filter;
        }
        choices.hooks = std::move(plan);
        return choices;
    }

    base::Result<void> tryCandidates() {
        std::vector<std::string> names = m_command.candidates;
        if (names.empty()) {
            for (const hooks::LibraryHook& hook : hooks::hookLibrary()) {
                names.emplace_back(hook.name);
            }
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            base::Progress(m_tools.progress).report("Hooks", i, names.size());
            AOTSCOPE_CHECK(tryHook(names[i]));
        }
        return {};
    }

    base::Result<void> tryHook(const std::string& name) {
        AOTSCOPE_TRY(split, m_split(choicesWith({.rules = {{"", name}}})));
        for (const hooks::BrokenHook& broken : split->hooks->broken) {
            m_made->notes.push_back("Without " + name + " for " + broken.tensors.front() +
                                    (broken.tensors.size() > 1 ? " and others: " : ": ") +
                                    broken.error.message);
        }
        if (split->function.partition->hooks.empty()) {
            return {};
        }
        AOTSCOPE_TRY(measured, measuredHooks(split, m_command.options, true, m_tools));
        std::map<std::string, std::int64_t> saves;
        for (const HookedTensor& tensor : split->hooks->tensors) {
            saves[tensor.saved] = tensor.bytes - tensor.storedBytes;
        }
        for (const HookError& hook : measured->errors.hooks) {
            const std::int64_t bytes = saves[hook.saved];
            const double error = worstError(hook.gradients);
            if (hook.failure.empty() && bytes > 0 && std::isfinite(error)) {
                m_made->trials.push_back({hook.saved, name, bytes, error});
            }
        }
        return {};
    }

    /// The plans that one gets by taking one hook after the other. A tensor that has a hook gets another one
    /// only if that saves more.
    void takeInOrder() {
        Taken taken;
        m_plans.push_back(taken);
        for (const HookTrial& trial : m_made->trials) {
            const auto known = taken.find(trial.saved);
            if (known == taken.end() || known->second.bytes < trial.bytes) {
                taken.insert_or_assign(trial.saved, trial);
                m_plans.push_back(taken);
            }
        }
    }

    static hooks::HookPlan planOf(const Taken& taken) {
        hooks::HookPlan plan;
        for (const auto& [saved, trial] : taken) {
            plan.rules.push_back({filterFor(saved), trial.hook});
        }
        return plan;
    }

    /// Partitions with one of the plans, and measures it.
    base::Result<void> measure(std::size_t number) {
        hooks::HookPlan plan = planOf(m_plans[number]);
        const PartitionChoices choices = choicesWith(plan);
        AOTSCOPE_TRY(split, m_split(choices));
        m_made->split = std::move(split);
        m_made->plan = *choices.hooks;
        m_made->errors = {};
        m_made->error = 0;
        if (!m_made->split->function.partition->hooks.empty()) {
            AOTSCOPE_TRY(measured, measuredHooks(m_made->split, m_command.options, false, m_tools));
            m_made->errors = measured->errors;
            m_made->error = worstError(m_made->errors.together);
        }
        const bool isSmall =
            !m_command.goal.storedBytes || m_made->split->hooks->bytesAfter <= *m_command.goal.storedBytes;
        const bool isExact = !m_command.goal.error || m_made->error <= *m_command.goal.error;
        m_made->isReached = isSmall && isExact;
        return {};
    }

    base::Result<HookSuggestionSnapshotPtr> finished() {
        return HookSuggestionSnapshotPtr(std::move(m_made));
    }

    /// The first plan that is small enough; the smallest if none is.
    base::Result<void> measureSmall() {
        std::size_t low = 0;
        std::size_t high = m_plans.size() - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            AOTSCOPE_TRY(split, m_split(choicesWith(planOf(m_plans[middle]))));
            const bool isSmall =
                m_command.goal.storedBytes && split->hooks->bytesAfter <= *m_command.goal.storedBytes;
            (isSmall ? high : low) = isSmall ? middle : middle + 1;
        }
        return measure(low);
    }

    /// The last plan whose error, with all its hooks, is small enough.
    base::Result<HookSuggestionSnapshotPtr> withErrorBelow() {
        std::size_t low = 0;
        std::size_t high = m_plans.size() - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low + 1) / 2;
            AOTSCOPE_CHECK(measure(middle));
            (m_made->error <= *m_command.goal.error ? low : high) =
                m_made->error <= *m_command.goal.error ? middle : middle - 1;
        }
        // Errors need not grow with each hook that is taken: go back until what is measured holds.
        for (std::size_t number = low;; --number) {
            AOTSCOPE_CHECK(measure(number));
            if (number == 0 || m_made->error <= *m_command.goal.error) {
                return finished();
            }
        }
    }

    const SuggestHooks& m_command;
    const PartitionTools& m_tools;
    const SplitByChoices& m_split;
    std::shared_ptr<HookSuggestionSnapshot> m_made;
    std::vector<Taken> m_plans;
};

} // namespace

base::Result<HookSuggestionSnapshotPtr> suggestHooks(const SuggestHooks& command, const PartitionTools& tools,
                                                     const SplitByChoices& split) {
    return Suggesting(command, tools, split).run();
}

} // namespace aotscope::session
