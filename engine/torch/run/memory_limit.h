#pragma once

#include <cstdint>

/// Keeps a run from taking more memory than the machine has to give: LibTorch's CPU memory is handed out by
/// an allocator that refuses beyond a limit, with an error, where the operating system would kill the
/// process. It counts what it hands out, to the byte and whoever asks.
namespace aotscope::torch {

/// Puts the allocator in place; once, before the first tensor.
void installMemoryLimit();

/// Bytes that the machine could still give to this process; a large number where it does not tell.
[[nodiscard]] std::int64_t availableMemory();

/// What LibTorch's CPU allocator has handed out and not got back, and the most of it since `restartPeak`.
[[nodiscard]] std::int64_t allocatedBytes();
[[nodiscard]] std::int64_t peakAllocatedBytes();
void restartPeak();

/// While it lives, tensors may take at most `bytes` more than they hold now.
class MemoryLimit {
public:
    explicit MemoryLimit(std::int64_t bytes);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
};

} // namespace aotscope::torch
