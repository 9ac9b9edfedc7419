#include "explore/watched_passes.h"

#include "explore/split_retraced.h"
#include "passes/inline_hooks.h"

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
    auto inlined = passes::inlineHooks(partition, passes::HookFilter::All, {}, tracedBefore(hooks), observer);
    return inlined ? base::Result<void>() : std::move(inlined).error();
}

} // namespace aotscope::session
