#pragma once

#include "contract/partition_snapshot.h"
#include "explore/joint_input.h"

#include "aot/saved_tensors_hooks.h"
#include "hooks/inline_plan.h"

#include "base/result.h"

#include <map>
#include <string>
#include <vector>

/// A person's choice of saved-tensors hooks for a partition.
namespace aotscope::session {

/// The hook that the plan's rules give each saved tensor, by the tensor's name. Errors: session.filter, with
/// the rule; hooks.unknown.
[[nodiscard]] base::Result<std::map<std::string, std::string>>
hooksByRule(const hooks::HookPlan& plan, const std::vector<SavedTensor>& saved);

/// What a plan's rules choose for a partition.
struct PlannedHooks {
    std::map<std::string, std::string> hookOf;
    passes::HookFilter filter = passes::HookFilter::Donated;
    /// As it was inlined.
    hooks::InlinedPlan plan = {};
};
/// Inlines a plan's hooks into the halves of a function. Errors: those of hooks::inlinePlan.
[[nodiscard]] base::Result<hooks::InlinedPlan>
inlinedPlan(const JointInput& input, const hooks::HookPlan& plan, const aot::TraceProgram& traceHook,
            const PlannedHooks& planned, const aot::CompiledFunction& halves);

/// The names of graphs that saved-tensors hooks of a joint graph lead to.
[[nodiscard]] ArtifactReference beforeHooksReference(const ArtifactReference& half);
[[nodiscard]] ArtifactReference hookReference(const ArtifactReference& joint, const std::string& saved,
                                              bool isPack);

/// What became of each saved tensor: `planned` null means the hooks that were traced with the program.
[[nodiscard]] InlinedHooks inlinedHooks(const PartitionSnapshot& split, passes::HookFilter filter,
                                        const PlannedHooks* planned, MemoryProfilePtr before);

/// The hooks of a partition as Python, for torch.autograd.graph.saved_tensors_hooks.
[[nodiscard]] std::string pythonHooks(const PartitionSnapshot& split);

} // namespace aotscope::session
