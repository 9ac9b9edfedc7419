#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// The state of the pretended GPUs, which their driver and their half of LibTorch share: memory, a clock,
/// what was asked of them, and whether they are lost. Settings come from the environment.
namespace fake_cuda {

/// The GPU's clock stands still but for the work that it is given, so that every time is known beforehand.
void work(std::int64_t nanoseconds);
[[nodiscard]] std::int64_t now();

/// Appends a line to the file that FAKE_CUDA_LOG names.
void log(const std::string& line);
/// Appends a line to the file that FAKE_CUDA_WAITS names.
void logWait();

/// Registers memory as the GPU's. False: with it, there would be more than FAKE_CUDA_MEMORY bytes.
[[nodiscard]] bool take(void* begin, std::size_t bytes);
void give(const void* begin);
/// Whether a kernel may read this address.
[[nodiscard]] bool isOwn(const void* address);

/// The number of the error that cost the GPU; 0: none did. Every call returns it from then on.
[[nodiscard]] int lost();
void lose(int error);

/// The error of the launch that is being made, from FAKE_CUDA_LAUNCH ("701@2": that of the second one); 0: it
/// succeeds.
[[nodiscard]] int launchError();

/// What CUDA says of an error: its constant in the driver's API, that in the runtime's, and in words.
struct ErrorWords {
    const char* driver;
    const char* runtime;
    const char* text;
};
[[nodiscard]] ErrorWords wordsOf(int error);

} // namespace fake_cuda
