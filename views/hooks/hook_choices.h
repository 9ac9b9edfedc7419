#pragma once

#include "contract/partition_snapshot.h"

#include <span>
#include <string>
#include <vector>

/// What a person does to a hooks::HookPlan. Each function gives the changed plan.
namespace aotscope::views {

/// The plan in a partition's choices; without one, the plan that does the same.
[[nodiscard]] hooks::HookPlan planOf(const session::PartitionSnapshot& split,
                                     const session::PartitionChoices& choices);
/// Whether hooks were traced with the program, so that hooks::loggedHook means something.
[[nodiscard]] bool hasLoggedHooks(const session::PartitionSnapshot& split);

/// One hook for every saved tensor in place of all rules. Own texts and the mode stay.
[[nodiscard]] hooks::HookPlan withHookForAll(hooks::HookPlan plan, const std::string& hook);
/// The hook that tensors have for which no other rule decides; hooks::noHook: none.
[[nodiscard]] std::string hookForAll(const hooks::HookPlan& plan);

/// Another hook for these tensors, decided before all other rules. Earlier rules for one of them alone go.
[[nodiscard]] hooks::HookPlan withHookFor(hooks::HookPlan plan, std::span<const std::string> saved,
                                          const std::string& hook);
/// The switch "without this hook": a rule `none` before all others; the other rules stay for switching on.
[[nodiscard]] hooks::HookPlan switchedOff(hooks::HookPlan plan, const std::string& saved);
/// Takes that rule back.
[[nodiscard]] hooks::HookPlan switchedOn(hooks::HookPlan plan, const std::string& saved);
/// The hook that the rules give a tensor; hooks::noHook: none.
[[nodiscard]] std::string hookByRule(const hooks::HookPlan& plan, const session::SavedTensor& tensor);

/// The tensors that rules for them alone let the backward compute again; they are not among the saved ones.
[[nodiscard]] std::vector<std::string> recomputedByName(const hooks::HookPlan& plan);
/// Without the rules that let the backward compute something again.
[[nodiscard]] hooks::HookPlan withoutRecompute(hooks::HookPlan plan);

/// A name for a person's version of a hook that the plan does not have yet: my_bf16, my_bf16_2, …
[[nodiscard]] std::string ownName(const hooks::HookPlan& plan, const std::string& original);
/// A copy of a hook's text under another name. The copy takes the original's place in all rules; if no rule
/// decides anything yet, it becomes the hook for all. Unchanged if the original has no text.
[[nodiscard]] hooks::HookPlan withOwnCopy(hooks::HookPlan plan, const std::string& original,
                                          const std::string& name);
[[nodiscard]] hooks::HookPlan withText(hooks::HookPlan plan, const std::string& name, std::string text);
/// Removes a person's own hook, and the rules that name it.
[[nodiscard]] hooks::HookPlan withoutOwn(hooks::HookPlan plan, const std::string& name);

/// Names that a rule can have: the library's, then a person's own.
[[nodiscard]] std::vector<std::string> namesOfHooks(const hooks::HookPlan& plan);

} // namespace aotscope::views
