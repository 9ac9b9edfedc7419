#pragma once

#include "torch_headers.h"

#include <cstdint>

namespace aotscope::torch {

/// The bytes of a device's tensors as its allocator counts them: on the CPU exactly the requested ones, on a
/// GPU the caching allocator's blocks, which it rounds up (memory/gpu_rounding.h).
class MemoryMeter {
public:
    explicit MemoryMeter(c10::Device device) : m_device(device) {}

    [[nodiscard]] std::int64_t allocated() const;
    /// The most since `restartPeak`.
    [[nodiscard]] std::int64_t peak() const;
    void restartPeak() const;

private:
    c10::Device m_device;
};

/// Bytes that tensors of a device can still get. On a GPU also those that its allocator holds unused.
[[nodiscard]] std::int64_t availableMemory(c10::Device device);

} // namespace aotscope::torch
