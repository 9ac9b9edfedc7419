#pragma once

#include "memory/memory_scene.h"
#include "session/explore/partition_snapshot.h"

#include <QString>

#include <optional>
#include <vector>

namespace aotscope::views {

/// One of the ways a partition can run: as eager does, as PyTorch compiled it, or with the current choices.
struct MemoryOrder {
    enum class Kind { Current, Logged, Eager };
    Kind kind = Kind::Current;
    ProfilePtr profile;
    /// Whose nodes the profile speaks of; both the joint graph for eager.
    ir::GraphPtr forward;
    ir::GraphPtr backward;

    /// The halves' names, by which the engine runs them; nothing: eager, which is no two graphs.
    struct Halves {
        session::ArtifactReference forward;
        session::ArtifactReference backward;
    };
    std::optional<Halves> halves = {};

    /// "current choices", "as logged", "eager"
    [[nodiscard]] QString label() const;
    /// "addmm_3"; "(loss)" between forward and backward, "(optimizer)" at the end.
    [[nodiscard]] QString nodeAt(std::uint32_t position) const;
    [[nodiscard]] std::optional<std::string> nodeNameAt(std::uint32_t position) const;
    /// Whether it was these halves that ran. Those made here keep their names when they are made anew.
    [[nodiscard]] bool isOf(const session::TrainingStepSnapshot& run) const;
    /// What the run held, along `profile`.
    [[nodiscard]] MeasuredPtr measuredBy(const session::TrainingStepSnapshot& run) const;
};

/// The orders that are known of a partition, the current choices first.
[[nodiscard]] std::vector<MemoryOrder> memoryOrders(const session::PartitionSnapshotPtr& split);

} // namespace aotscope::views
