#pragma once

#include <atomic>
#include <cstddef>

namespace aotscope::load {

/// Keeps a mapped file readable when another program cuts the file short. The kernel answers a touch of the
/// missing pages with SIGBUS, which ends a program; while a guard lives over them, they become zeros instead,
/// and `isCut` tells. Readers must bound themselves by the mapping's size, not by what they expect in it.
///
/// A signal's handler belongs to the whole process: the first guard installs one, which passes on every
/// SIGBUS that is none of a guard's. (libwayland guards what its clients share in the same way.)
class MappingGuard {
public:
    /// Guards [address, address + size), the pages of one mapping.
    MappingGuard(void* address, std::size_t size);
    /// To be called before the pages are unmapped.
    ~MappingGuard();
    MappingGuard(const MappingGuard&) = delete;
    MappingGuard& operator=(const MappingGuard&) = delete;

    /// Whether pages were missing, and zeros were put in their place.
    [[nodiscard]] bool isCut() const;

    struct Range;

private:
    Range* m_range;
};

} // namespace aotscope::load
