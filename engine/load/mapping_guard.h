#pragma once

#include <atomic>
#include <cstddef>

namespace aotscope::load {

/// Keeps a mapped file readable when another program truncates the file. Access to the missing pages raises
/// SIGBUS, which would end the program; with a guard the pages become zeros instead, and `isCut` returns
/// true. Readers must not rely on the content to find its end, but stop at the mapping's size.
///
/// A signal handler belongs to the whole process: the first guard installs one, which passes on every SIGBUS
/// outside of the guarded ranges. (libwayland guards shared memory in the same way.)
class MappingGuard {
public:
    /// Guards [address, address + size), the pages of one mapping.
    MappingGuard(void* address, std::size_t size);
    /// Must run before the pages are unmapped.
    ~MappingGuard();
    MappingGuard(const MappingGuard&) = delete;
    MappingGuard& operator=(const MappingGuard&) = delete;

    /// Whether pages were missing and replaced by zeros.
    [[nodiscard]] bool isCut() const;

    struct Range;

private:
    Range* m_range;
};

} // namespace aotscope::load
