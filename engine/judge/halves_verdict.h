#pragma once

#include "contract/partition_snapshot.h"
#include "judge/answers.h"

#include "base/progress.h"
#include "base/verdict.h"

#include <optional>
#include <string>
#include <vector>

/// What a comparison of halves with the logged ones says to a person.
namespace aotscope::judge {

struct HalvesVerdict {
    /// One line each, before hooks and with them.
    std::vector<std::string> differences;
    /// What is saved (set, bytes, order), and the graphs.
    base::Verdict saved;
    base::Verdict graphs;
    /// Differences in what the partition adds to the metadata. Nothing: none is logged, or it belongs to
    /// other halves.
    std::optional<std::vector<std::string>> metadataDifferences = {};
    /// The logged halves: with hooks inlined if the engine's have them, else those before hooks.
    session::GraphSnapshotPtr forward = nullptr;
    session::GraphSnapshotPtr backward = nullptr;
    /// PyTorch inlined hooks, and the engine's halves have none.
    bool lacksHooks = false;
};

/// A partition, up to its hooks, beside the logged halves of the same joint graph. Where a partitioner that
/// is only assumed gives other halves, also the default one is tried.
[[nodiscard]] HalvesVerdict judgeHalves(const session::PartitionSnapshot& split, const LoggedAnswer& logged,
                                        const base::Progress& progress);

/// Both in one: the first that is not equal. What is saved alone decides if the graphs cannot be compared
/// because Inductor rewrote the joint graph.
[[nodiscard]] base::VerdictWord halvesWord(const base::Verdict& saved, const base::Verdict& graphs,
                                           bool isJointRewritten);

} // namespace aotscope::judge
