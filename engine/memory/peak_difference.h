#pragma once

#include "memory/memory_profile.h"

#include <cstdint>
#include <vector>

namespace aotscope::memory {

/// A value that is alive at the peak of only one of two profiles, or has different sizes at the two peaks.
struct PeakDifference {
    /// Null: not alive there. They point into the compared profiles.
    const LiveRange* left = nullptr;
    const LiveRange* right = nullptr;

    [[nodiscard]] const LiveRange& either() const { return left != nullptr ? *left : *right; }
    /// Bytes of right minus bytes of left.
    [[nodiscard]] std::int64_t bytes() const {
        return (right != nullptr ? right->bytes : 0) - (left != nullptr ? left->bytes : 0);
    }
};

/// Compares the values that are alive at each profile's own peak, matched by their names or those of aliases.
/// Omits values of equal size; the largest differences come first. The bytes add up to the difference of the
/// two peaks.
[[nodiscard]] std::vector<PeakDifference> compareAtPeak(const MemoryProfile& left,
                                                        const MemoryProfile& right);

} // namespace aotscope::memory
