#pragma once

#include "contract/partition_snapshot.h"
#include "contract/requests.h"
#include "explore/joint_input.h"
#include "explore/measured_hooks.h"
#include "explore/partition_by_choices.h"
#include "explore/split_fates.h"
#include "session/made_graphs.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace aotscope::session {

/// Partitions joint graphs for a session. Keeps the input and the last partition of each for the next
/// request. Thread-safe.
class PartitionExplorer {
public:
    /// Stores the halves in `graphs`, which must outlive this.
    explicit PartitionExplorer(MadeGraphs& graphs) : m_graphs(graphs) {}

    // Errors: those of readJointInput and partitionByChoices; those of runForTimes if the choices use
    // profiled runtimes.

    [[nodiscard]] base::Result<PartitionSnapshotPtr> partition(const PartitionJoint& command,
                                                               const PartitionTools& tools);
    [[nodiscard]] base::Result<BudgetSweepSnapshotPtr> sweep(const SweepBudgets& command,
                                                             const PartitionTools& tools);
    /// If there is no alternative the snapshot says why; that is not an error.
    [[nodiscard]] base::Result<NodeAlternativeSnapshotPtr> alternative(const FindAlternative& command,
                                                                       const PartitionTools& tools);
    /// The marks may be requested after newer choices: they are for their choices, and the stored halves stay
    /// those of the last `partition`.
    [[nodiscard]] base::Result<SplitMarksSnapshotPtr>
    mark(const MarkSplit& command, const LayoutSnapshotPtr& picture, const PartitionTools& tools);
    /// `onPart` may be empty. Errors: also session.no_hooks (the choices inline none) and those of
    /// HookErrorsCall.
    [[nodiscard]] base::Result<HookErrorsSnapshotPtr>
    measure(const MeasureHooks& command, const PartitionTools& tools, const HookErrorsSink& onPart);
    /// Errors: also those of suggestHooks.
    [[nodiscard]] base::Result<HookSuggestionSnapshotPtr> suggest(const SuggestHooks& command,
                                                                  const PartitionTools& tools);
    void eraseLog(std::uint32_t log);

private:
    struct Entry {
        JointInputPtr input;
        PartitionSnapshotPtr last;
        /// Null until choices need it.
        RuntimeProfilePtr runtimes;
    };
    /// Including runtimes if the choices need them.
    [[nodiscard]] base::Result<Entry> entryOf(const ArtifactReference& joint, const PartitionChoices& choices,
                                              const PartitionTools& tools);
    [[nodiscard]] base::Result<Entry> inputOf(const ArtifactReference& joint, const PartitionTools& tools);
    /// The last partition if it is of these choices, else a new one, which is not kept.
    [[nodiscard]] static base::Result<PartitionSnapshotPtr>
    splitOf(const Entry& entry, const PartitionChoices& choices, const PartitionTools& tools);
    /// Does nothing if the log was closed or read again in the meantime.
    void keep(const ArtifactReference& joint, Entry entry, const PartitionTools& tools);

    MadeGraphs& m_graphs;
    std::mutex m_mutex;
    std::map<ArtifactReference, Entry> m_entries;
};

} // namespace aotscope::session
