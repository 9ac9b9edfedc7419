#include "kernels/occupancy.h"

#include "base/joined.h"
#include "base/mapped.h"

#include <algorithm>
#include <array>
#include <limits>

namespace aotscope::kernels {

namespace {

constexpr int kibibyte = 1024;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

constexpr MultiprocessorLimits limitsOf(int architecture, int warps, int blocks, int sharedKibibytes) {
    MultiprocessorLimits limits;
    limits.architecture = architecture;
    limits.warps = warps;
    limits.blocks = blocks;
    limits.sharedBytes = sharedKibibytes * kibibyte;
    // The system takes one KiB of each block since compute capability 8.0.
    limits.reservedSharedBytes = kibibyte;
    limits.sharedBytesPerBlock = limits.sharedBytes - limits.reservedSharedBytes;
    // Those that hold 64 warps have two for each block, the others one.
    limits.barriers = warps == 64 ? 2 * blocks : blocks;
    return limits;
}

constexpr MultiprocessorLimits turing() {
    MultiprocessorLimits limits = limitsOf(75, 32, 16, 64);
    limits.reservedSharedBytes = 0;
    limits.sharedBytesPerBlock = limits.sharedBytes;
    limits.sharedGranularity = 256;
    return limits;
}

// Compute capability, warps, blocks, KiB of shared memory.
constexpr std::array<MultiprocessorLimits, 11> table{turing(),
                                                     limitsOf(80, 64, 32, 164),
                                                     limitsOf(86, 48, 16, 100),
                                                     limitsOf(87, 48, 16, 164),
                                                     limitsOf(89, 48, 24, 100),
                                                     limitsOf(90, 64, 32, 228),
                                                     limitsOf(100, 64, 32, 228),
                                                     limitsOf(103, 64, 32, 228),
                                                     limitsOf(110, 48, 24, 228),
                                                     limitsOf(120, 48, 24, 100),
                                                     limitsOf(121, 48, 24, 100)};

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

std::int64_t blocksByRegisters(const MultiprocessorLimits& limits, const BlockNeeds& needs,
                               std::int64_t warps) {
    constexpr std::int64_t partitions = MultiprocessorLimits::partitions;
    if (needs.registers <= 0) {
        return unlimited;
    }
    const std::int64_t ofWarp = roundUp(std::int64_t{needs.registers} * MultiprocessorLimits::threadsPerWarp,
                                        limits.registerGranularity);
    // A launch is refused as if each partition got as many warps as the fullest.
    if (needs.registers > MultiprocessorLimits::registersPerThread ||
        ofWarp * roundUp(warps, partitions) > limits.registers) {
        return 0;
    }
    return limits.registers / partitions / ofWarp * partitions / warps;
}

std::int64_t blocksByShared(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
    const std::int64_t own = needs.staticSharedBytes + needs.dynamicSharedBytes;
    if (own > limits.sharedBytesPerBlock) {
        return 0;
    }
    const std::int64_t taken = roundUp(own + limits.reservedSharedBytes, limits.sharedGranularity);
    return taken == 0 ? unlimited : limits.sharedBytes / taken;
}

/// NVIDIA's rules count barriers from compute capability 9.0 on.
std::int64_t blocksByBarriers(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
    constexpr int firstThatCounts = 90;
    return limits.architecture < firstThatCounts || needs.barriers <= 0 ? unlimited
                                                                        : limits.barriers / needs.barriers;
}

} // namespace

base::Result<MultiprocessorLimits> multiprocessorLimits(std::string_view architecture) {
    std::string plain(architecture);
    if (plain.ends_with('a') || plain.ends_with('f')) {
        plain.pop_back();
    }
    for (const MultiprocessorLimits& limits : table) {
        if (plain == "sm_" + std::to_string(limits.architecture)) {
            return limits;
        }
    }
    return base::Error{.code = "kernels.unknown_architecture",
                       .message =
                           "Nothing is known of multiprocessors of \"" + std::string(architecture) + "\".",
                       .hint = "Known are " + base::joined(knownArchitectures()) + "."};
}

std::vector<std::string> knownArchitectures() {
    return base::mapped(table, [](const MultiprocessorLimits& limits) {
        return "sm_" + std::to_string(limits.architecture);
    });
}

Occupancy occupancyOf(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
    Occupancy occupancy;
    occupancy.mostWarps = limits.warps;
    const bool fits = needs.threads > 0 && needs.threads <= MultiprocessorLimits::threadsPerBlock;
    const std::int64_t warps = fits ? roundUp(needs.threads, MultiprocessorLimits::threadsPerWarp) /
                                          MultiprocessorLimits::threadsPerWarp
                                    : 0;
    using Bound = std::pair<Limiter, std::int64_t>;
    const std::array<Bound, 5> bounds{
        Bound{Limiter::Warps, fits ? limits.warps / warps : 0}, Bound{Limiter::Blocks, limits.blocks},
        Bound{Limiter::Registers, fits ? blocksByRegisters(limits, needs, warps) : unlimited},
        Bound{Limiter::SharedMemory, blocksByShared(limits, needs)},
        Bound{Limiter::Barriers, blocksByBarriers(limits, needs)}};
    const std::int64_t least = std::ranges::min(bounds, {}, &Bound::second).second;
    for (const auto& [limiter, blocks] : bounds) {
        if (blocks == least) {
            occupancy.limiters.push_back(limiter);
        }
    }
    occupancy.blocks = static_cast<int>(least);
    occupancy.warps = static_cast<int>(least * warps);
    return occupancy;
}

} // namespace aotscope::kernels
