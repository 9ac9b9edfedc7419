#pragma once

#include "torch_headers.h"

#include <c10/core/GradMode.h>

#include <cstdint>
#include <optional>

/// Limits the memory of a run: LibTorch's CPU allocator is replaced by one that throws c10::OutOfMemoryError
/// beyond a limit, before the operating system would kill the process. It counts the bytes of all CPU tensors
/// of the process. All sizes are in bytes.
namespace aotscope::torch {

/// Installs the allocator. Call it once, before the first tensor is created.
void installMemoryLimit();

/// Available memory of the machine; the largest int64 where it is unknown.
[[nodiscard]] std::int64_t availableMemory();

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

/// From now on new memory of CPU tensors holds this byte everywhere, to detect what depends on memory that
/// nothing has written; nothing: it is left as it is. It applies to the whole process.
void fillNewMemory(std::optional<std::uint8_t> byte);

/// While it lives, CPU tensors may allocate at most `bytes` more than now. One at a time: the destructor
/// removes any limit.
class MemoryLimit {
public:
    explicit MemoryLimit(std::int64_t bytes);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

    /// Lifts the limit for others that run meanwhile, and sets it again. A limit that ends without that
    /// leaves those of others alone.
    void lend();
    void takeBack();

private:
    /// The limit of a run that waits meanwhile.
    std::int64_t m_before;
    std::int64_t m_own;
    bool m_isLent = false;
};

/// What runs of graphs go without: autograd and version counters, because the graphs contain the backward,
/// and the last tenth of the memory that is available.
struct PlainExecution {
    c10::AutoGradMode noGradients{false};
    at::AutoDispatchBelowADInplaceOrView belowAutograd;
    MemoryLimit limit{availableMemory() / 10 * 9};
};

} // namespace aotscope::torch
