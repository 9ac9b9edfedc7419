#pragma once

#include "contract/partition_snapshot.h"
#include "hooks/hook_measures.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::views {

/// A saved tensor on its way from the forward to the backward.
struct Capsule {
    /// In the partition that the rows are of.
    const session::SavedTensor* saved = nullptr;
    /// Null: no hooks are inlined.
    const session::HookedTensor* hooked = nullptr;
    /// The hook could not be applied because of an error in it.
    bool isBroken = false;
    /// What was measured with this hook: the round trip, and the hook alone.
    std::optional<session::RoundTripError> error;
    /// The relative error of the gradient that it changes most.
    std::optional<double> worstGradient;
    /// How much lower the step's peak is with this hook alone; negative: higher.
    std::optional<std::int64_t> peakFall;
    /// Why it could not be measured; empty: it could, or was not.
    QString failure;
    /// The numbers were measured with other hooks for other tensors.
    bool isOlder = false;

    [[nodiscard]] bool hasHook() const { return hooked != nullptr && !hooked->hook.empty(); }
    [[nodiscard]] std::int64_t bytes() const { return saved->bytes; }
    [[nodiscard]] std::int64_t stored() const { return hooked ? hooked->storedBytes : saved->bytes; }
    [[nodiscard]] std::int64_t bytesSaved() const { return bytes() - stored(); }
    /// "float32 → float8_e4m3fn, float32[8, 1]"
    [[nodiscard]] QString typesText() const;
    /// Why it has no hook; empty: it has one, or no hook is chosen for it.
    [[nodiscard]] QString whyNot() const;
};

/// The snapshots that rows are built from. Rows point into them.
struct CapsuleSource {
    session::PartitionSnapshotPtr split;
    /// See HookMeasures.
    session::HookErrorsSnapshotPtr latest;
    session::HookErrorsSnapshotPtr withGradients;
    session::HookErrorsSnapshotPtr whole;
    friend bool operator==(const CapsuleSource&, const CapsuleSource&) = default;
};

/// The saved tensors in the order in which the forward saves them, without symbolic integers.
[[nodiscard]] std::vector<Capsule> capsulesOf(const CapsuleSource& source);

} // namespace aotscope::views
