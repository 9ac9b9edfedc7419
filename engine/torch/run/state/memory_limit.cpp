#include "run/state/memory_limit.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

namespace aotscope::torch {

namespace {

constexpr std::int64_t noLimit = std::numeric_limits<std::int64_t>::max();

/// Room in front of each block for its size; keeps the alignment that kernels expect.
constexpr std::size_t header = 64;

/// The process-wide CPU allocator with its counters. The data pointer of a block is also its context, as
/// raw_allocate requires.
class LimitedAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override;
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

    [[nodiscard]] std::int64_t handedOut() const { return m_handedOut.load(); }
    [[nodiscard]] std::int64_t peak() const { return m_peak.load(); }
    void restartPeak() { m_peak.store(m_handedOut.load()); }

    /// Negative: memory stays as it is.
    void fillWith(int byte) { m_fill.store(byte); }

    [[nodiscard]] std::int64_t limit() const { return m_limit.load(); }
    void limitTo(std::int64_t limit) { m_limit.store(limit); }
    [[nodiscard]] std::int64_t limitOf(std::int64_t bytes) const {
        const std::int64_t used = m_used.load();
        return bytes > noLimit - used ? noLimit : used + bytes;
    }

private:
    static void release(void* data);
    void free(void* data);
    [[noreturn]] static void refuse(std::size_t bytes) {
        C10_THROW_ERROR(OutOfMemoryError,
                        "not enough memory: " + std::to_string(bytes) + " bytes were requested");
    }

    void count(std::int64_t bytes) {
        const std::int64_t now = m_handedOut.fetch_add(bytes) + bytes;
        std::int64_t before = m_peak.load();
        while (before < now && !m_peak.compare_exchange_weak(before, now)) {
        }
    }

    void tellProfiler(void* data, std::int64_t change) const {
        if (c10::memoryProfilingEnabled()) {
            c10::reportMemoryUsageToProfiler(data, change, static_cast<std::size_t>(handedOut()), 0,
                                             c10::Device(c10::kCPU));
        }
    }

    /// Allocated bytes with headers, which the limit applies to, and without.
    std::atomic<std::int64_t> m_used = 0;
    std::atomic<std::int64_t> m_handedOut = 0;
    std::atomic<std::int64_t> m_peak = 0;
    std::atomic<std::int64_t> m_limit = noLimit;
    std::atomic<int> m_fill = -1;
};

LimitedAllocator& allocator() {
    // Never destroyed: tensors that outlive static destruction still give their memory back through it.
    static LimitedAllocator* const instance = new LimitedAllocator; // NOLINT
    return *instance;
}

c10::DataPtr LimitedAllocator::allocate(std::size_t bytes) {
    if (bytes == 0) {
        return {nullptr, nullptr, &release, c10::Device(c10::kCPU)};
    }
    if (bytes > static_cast<std::size_t>(noLimit) - header) {
        refuse(bytes);
    }
    const auto wanted = static_cast<std::int64_t>(bytes + header);
    const std::int64_t used = m_used.fetch_add(wanted);
    if (used > m_limit.load() - wanted) {
        m_used.fetch_sub(wanted);
        refuse(bytes);
    }
    try {
        // Not through LibTorch's allocator, which would tell the profiler of the header, too.
        auto* block = static_cast<char*>(c10::alloc_cpu(bytes + header));
        std::memcpy(block, &wanted, sizeof wanted);
        if (const int fill = m_fill.load(); fill >= 0) {
            std::memset(block + header, fill, bytes);
        }
        char* data = block + header;
        count(static_cast<std::int64_t>(bytes));
        tellProfiler(data, static_cast<std::int64_t>(bytes));
        return {data, data, &release, c10::Device(c10::kCPU)};
    } catch (...) {
        m_used.fetch_sub(wanted);
        throw;
    }
}

void LimitedAllocator::release(void* data) {
    if (data != nullptr) {
        allocator().free(data);
    }
}

void LimitedAllocator::free(void* data) {
    char* block = static_cast<char*>(data) - header;
    std::int64_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    c10::free_cpu(block);
    m_used.fetch_sub(bytes);
    count(static_cast<std::int64_t>(header) - bytes);
    tellProfiler(data, static_cast<std::int64_t>(header) - bytes);
}

c10::CachingDeviceAllocator::DeviceStats statsOf(c10::Device device) {
    return c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
}

/// Of all pools together.
const c10::CachingAllocator::Stat& total(const c10::CachingAllocator::StatArray& stats) {
    return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

} // namespace

void installMemoryLimit() {
    c10::SetCPUAllocator(&allocator(), 1);
}

std::int64_t availableMemory() {
    std::ifstream in("/proc/meminfo");
    std::string key;
    std::int64_t kilobytes = 0;
    std::string unit;
    while (in >> key >> kilobytes) {
        if (key == "MemAvailable:") {
            return kilobytes * 1024;
        }
        std::getline(in, unit);
    }
    return noLimit;
}

std::int64_t MemoryMeter::allocated() const {
    return m_device.is_cpu() ? allocator().handedOut() : total(statsOf(m_device).allocated_bytes).current;
}

std::int64_t MemoryMeter::peak() const {
    return m_device.is_cpu() ? allocator().peak() : total(statsOf(m_device).allocated_bytes).peak;
}

void MemoryMeter::restartPeak() const {
    if (m_device.is_cpu()) {
        allocator().restartPeak();
    } else {
        c10::getDeviceAllocator(m_device.type())->resetPeakStats(m_device.index());
    }
}

std::int64_t availableMemory(c10::Device device) {
    if (device.is_cpu()) {
        return availableMemory();
    }
    const auto free = c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).first;
    const c10::CachingDeviceAllocator::DeviceStats stats = statsOf(device);
    return static_cast<std::int64_t>(free) + total(stats.reserved_bytes).current -
           total(stats.allocated_bytes).current;
}

void fillNewMemory(std::optional<std::uint8_t> byte) {
    allocator().fillWith(byte ? *byte : -1);
}

MemoryLimit::MemoryLimit(std::int64_t bytes)
    : m_before(allocator().limit()), m_own(allocator().limitOf(bytes)) {
    allocator().limitTo(m_own);
}

MemoryLimit::~MemoryLimit() {
    if (!m_isLent) {
        allocator().limitTo(m_before);
    }
}

void MemoryLimit::lend() {
    m_isLent = true;
    allocator().limitTo(m_before);
}

void MemoryLimit::takeBack() {
    m_isLent = false;
    allocator().limitTo(m_own);
}

} // namespace aotscope::torch
