#pragma once

#include "hooks/hook_plan.h"

#include "aot/saved_tensors_hooks.h"
#include "passes/partition.h"

#include "base/describe.h"
#include "base/result.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace aotscope::hooks {

/// Hooks that were traced before. The same hooks for tensors with the same metadata give the same graphs, so
/// that an edited plan is inlined again at once. Thread-safe.
class HookMemo {
public:
    /// What was traced under the key, else what `trace` gives now; canceled traces are not kept.
    [[nodiscard]] base::Result<passes::InlinedHook>
    get(const std::string& key, const std::function<base::Result<passes::InlinedHook>()>& trace);

private:
    std::mutex m_mutex;
    std::map<std::string, base::Result<passes::InlinedHook>> m_known;
};

/// A hook that could not be applied; the tensors are saved as they are.
struct BrokenHook {
    std::string hook;
    /// If the hook has a text, the place is the line in it.
    base::Error error;
    /// Those that it failed for, by name.
    std::vector<std::string> tensors;
};
AOTSCOPE_MEMBERS(BrokenHook, hook, error, tensors)

/// What a plan does with one saved tensor.
struct PlannedTensor {
    std::string saved;
    /// The hook that is inlined; empty: none.
    std::string hook;
    /// Why there is none, in words; empty if there is one or the plan has none for it.
    std::string why;
};

/// A partition with a plan's hooks inlined.
struct InlinedPlan {
    passes::Partition partition;
    /// In the order in which the forward saves them.
    std::vector<PlannedTensor> tensors;
    std::vector<BrokenHook> broken;
};

/// What inlinePlan takes beside the partition.
struct PlanInlining {
    const HookPlan& plan;
    /// The hook that a rule gives each saved tensor, by the tensor's name; missing: none.
    std::map<std::string, std::string> hookOf;
    passes::HookFilter filter = passes::HookFilter::Donated;
    std::vector<std::size_t> staticInputs;
    /// The compile, for how its hooks are traced.
    const aot::CompiledFunction& function;
    /// The hooks that were traced with the program; null: it has none.
    passes::TraceHook logged;
    aot::TraceProgram trace;
    HookMemo& memo;
};

/// Traces the plan's hooks for the saved tensors and inlines them. A hook that cannot be read, traced or
/// inlined, or whose round trip changes shape or dtype, is left out and listed in `broken`. Errors:
/// session.canceled.
[[nodiscard]] base::Result<InlinedPlan> inlinePlan(const passes::Partition& partition,
                                                   const PlanInlining& inlining);

} // namespace aotscope::hooks
