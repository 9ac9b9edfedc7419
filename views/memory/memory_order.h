#pragma once

#include "contract/partition_snapshot.h"
#include "memory/memory_scene.h"

#include <QString>

#include <optional>
#include <vector>

namespace aotscope::views {

/// One way to run the training step: as eager does, as PyTorch compiled it, or with the current choices.
struct MemoryOrder {
    enum class Kind { Current, Logged, Eager };
    Kind kind = Kind::Current;
    ProfilePtr profile;
    /// The graphs whose nodes the profile's positions are; for eager both are the joint graph.
    ir::GraphPtr forward;
    ir::GraphPtr backward;

    /// Names of the halves, with which the engine can run them; nothing for eager, which has no halves.
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
    /// Whether this run ran these halves. A new partition gives its halves the same names, so names are not
    /// enough.
    [[nodiscard]] bool isOf(const session::TrainingStepSnapshot& run) const;
    /// The measured memory along `profile`.
    [[nodiscard]] MeasuredPtr measuredBy(const session::TrainingStepSnapshot& run) const;
};

/// All orders that a partition knows, the current choices first.
[[nodiscard]] std::vector<MemoryOrder> memoryOrders(const session::PartitionSnapshotPtr& split);

} // namespace aotscope::views
