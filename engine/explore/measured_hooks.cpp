#include "explore/measured_hooks.h"

#include "explore/partition_by_choices.h"
#include "explore/split_retraced.h"

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

} // namespace aotscope::session
