#include "run/memory_meter.h"

#include "run/memory_limit.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace aotscope::torch {

namespace {

c10::CachingDeviceAllocator::DeviceStats statsOf(c10::Device device) {
    return c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
}

/// Of all pools together.
const c10::CachingAllocator::Stat& total(const c10::CachingAllocator::StatArray& stats) {
    return stats[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

} // namespace

std::int64_t MemoryMeter::allocated() const {
    return m_device.is_cpu() ? allocatedBytes() : total(statsOf(m_device).allocated_bytes).current;
}

std::int64_t MemoryMeter::peak() const {
    return m_device.is_cpu() ? peakAllocatedBytes() : total(statsOf(m_device).allocated_bytes).peak;
}

void MemoryMeter::restartPeak() const {
    if (m_device.is_cpu()) {
        aotscope::torch::restartPeak();
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

} // namespace aotscope::torch
