#pragma once

#include "memory/memory_profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::memory {

/// A value that is alive at one profile's peak and not at the other's, or larger there.
struct PeakDifference {
    /// Null: not alive there. They point into the profiles compared.
    const LiveRange* left = nullptr;
    const LiveRange* right = nullptr;

    [[nodiscard]] const LiveRange& either() const { return left != nullptr ? *left : *right; }
    /// Right less left.
    [[nodiscard]] std::int64_t bytes() const {
        return (right != nullptr ? right->bytes : 0) - (left != nullptr ? left->bytes : 0);
    }
};

/// What is alive at each profile's own peak, matched by name (a value under any of its aliases' names);
/// equal ones are left out, the largest differences come first. The bytes add up to the difference of the
/// two peaks.
[[nodiscard]] std::vector<PeakDifference> compareAtPeak(const MemoryProfile& left,
                                                        const MemoryProfile& right);

} // namespace aotscope::memory
