#include "explore/watched_passes.h"

#include "passes/inline_hooks.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

base::Result<void> watchPasses(const PartitionSnapshot& split, const passes::PassObserver& observer,
                               base::Progress progress) {
    AOTSCOPE_TRY(partition, passes::partitionJointGraph(split.joint->graph, split.options,
                                                        std::move(progress), observer));
    const std::vector<passes::InlinedHook>& hooks = split.function.partition->hooks;
    if (hooks.empty()) {
        return {};
    }
    const auto traced = [&hooks](const ir::Graph& forward,
                                 ir::NodeId saved) -> base::Result<passes::InlinedHook> {
        const std::string& name = forward.node(saved).name;
        const auto found = std::ranges::find(hooks, name, &passes::InlinedHook::saved);
        return found == hooks.end() ? passes::InlinedHook{name, nullptr, nullptr} : *found;
    };
    auto inlined = passes::inlineHooks(partition, passes::HookFilter::All, {}, traced, observer);
    return inlined ? base::Result<void>() : std::move(inlined).error();
}

} // namespace aotscope::session
