#pragma once

#include "session/commands.h"
#include "session/explore/joint_input.h"
#include "session/explore/partition_snapshot.h"
#include "session/explore/runtime_profile.h"
#include "session/made_graphs.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace aotscope::session {

/// Splits joint graphs for a session and keeps what the next split of the same graph can use: what was read
/// of the log, and the last partition. Thread-safe.
class PartitionExplorer {
public:
    /// The halves go into `graphs`, which outlives this.
    explicit PartitionExplorer(MadeGraphs& graphs) : m_graphs(graphs) {}

    // Errors: those of readJointInput and partitionByChoices; those of runForTimes where choices ask for a
    // profile.

    [[nodiscard]] base::Result<PartitionSnapshotPtr> partition(const PartitionJoint& command,
                                                               const PartitionTools& tools);
    [[nodiscard]] base::Result<BudgetSweepSnapshotPtr> sweep(const SweepBudgets& command,
                                                             const PartitionTools& tools);
    /// That there is no other way is no error but told in the snapshot.
    [[nodiscard]] base::Result<NodeAlternativeSnapshotPtr> alternative(const FindAlternative& command,
                                                                       const PartitionTools& tools);
    void eraseLog(std::uint32_t log);

private:
    struct Entry {
        JointInputPtr input;
        PartitionSnapshotPtr last;
        /// Null until choices ask for them.
        RuntimeProfilePtr runtimes;
    };
    /// With what the choices ask for.
    [[nodiscard]] base::Result<Entry> entryOf(const ArtifactReference& joint, const PartitionChoices& choices,
                                              const PartitionTools& tools);
    [[nodiscard]] base::Result<Entry> inputOf(const ArtifactReference& joint, const PartitionTools& tools);
    /// Unless the log was closed or read anew meanwhile.
    void keep(const ArtifactReference& joint, Entry entry, const PartitionTools& tools);

    MadeGraphs& m_graphs;
    std::mutex m_mutex;
    std::map<ArtifactReference, Entry> m_entries;
};

} // namespace aotscope::session
