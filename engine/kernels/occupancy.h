#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// How many blocks of a kernel a multiprocessor holds at once, from what the kernel needs and what the
/// multiprocessor has.
namespace aotscope::kernels {

/// What a multiprocessor has. From NVIDIA's CUDA programming guide, "Technical specifications per compute
/// capability".
struct MultiprocessorLimits {
    /// 90 for compute capability 9.0
    int architecture = 0;
    int warps = 0;
    int blocks = 0;
    int registers = 65536;
    int sharedBytes = 0;
    /// The most that one block may have.
    int sharedBytesPerBlock = 0;
    /// What the system takes for each block.
    int reservedSharedBytes = 0;
    int barriers = 0;
    // Sizes in which they are handed out.
    int sharedGranularity = 128;
    int registerGranularity = 256; // for each warp

    static constexpr int threadsPerWarp = 32;
    static constexpr int threadsPerBlock = 1024;
    static constexpr int registersPerThread = 255;
    /// Warps and registers are spread over these.
    static constexpr int partitions = 4;
};

/// Of "sm_90", "sm_90a", … Error: kernels.unknown_architecture, which lists the known ones.
[[nodiscard]] base::Result<MultiprocessorLimits> multiprocessorLimits(std::string_view architecture);
/// "sm_75", "sm_80", …
[[nodiscard]] std::vector<std::string> knownArchitectures();

struct BlockNeeds {
    int threads = 0;
    /// Per thread.
    int registers = 0;
    /// Static: declared in the source; dynamic: an argument of the launch.
    std::int64_t staticSharedBytes = 0;
    std::int64_t dynamicSharedBytes = 0;
    /// 0 and 1 never limit.
    int barriers = 1;
};

enum class Limiter : std::uint8_t { Warps, Blocks, Registers, SharedMemory, Barriers };
AOTSCOPE_WORDS(Limiter, "warps per multiprocessor", "blocks per multiprocessor", "registers", "shared memory",
               "barriers")

struct Occupancy {
    /// On one multiprocessor at once; 0: the kernel cannot be launched with such blocks.
    int blocks = 0;
    int warps = 0;
    int mostWarps = 0;
    /// What keeps one block more from fitting; several if they bind equally.
    std::vector<Limiter> limiters;

    /// The share of the warps that the multiprocessor could hold, from 0 to 1.
    [[nodiscard]] double share() const { return mostWarps == 0 ? 0.0 : double(warps) / mostWarps; }
};
AOTSCOPE_MEMBERS(Occupancy, blocks, warps, mostWarps, limiters)

/// Follows the rules that NVIDIA publishes in cuda_occupancy.h of CUDA 13: registers are allocated per warp,
/// in its quarter of the multiprocessor; shared memory per block.
[[nodiscard]] Occupancy occupancyOf(const MultiprocessorLimits& limits, const BlockNeeds& needs);

} // namespace aotscope::kernels
