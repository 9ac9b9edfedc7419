#include "rerun/repetition_loop.h"

#include "dispatch/failure.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace aotscope::torch {

namespace {

/// More than the largest cache of this computer holds.
std::int64_t cacheFillerBytes() {
    constexpr std::int64_t least = std::int64_t{64} << 20;
    return std::max<std::int64_t>(least, 2 * ::sysconf(_SC_LEVEL3_CACHE_SIZE));
}

} // namespace

std::vector<std::int64_t> timeRepetitions(const session::RerunSettings& settings, base::Progress& progress,
                                          const std::function<void()>& before,
                                          const std::function<void()>& work) {
    at::Tensor filler;
    if (settings.coldCache) {
        filler = at::empty({cacheFillerBytes()}, at::TensorOptions(c10::kByte));
    }
    std::vector<std::int64_t> samples;
    samples.reserve(settings.repetitions);
    const std::size_t all = settings.warmUp + settings.repetitions;
    for (std::size_t i = 0; i < all; ++i) {
        if (progress.stopRequested()) {
            throw Canceled{};
        }
        progress.report(i < settings.warmUp ? "Warming up" : "Repeating", i, all);
        before();
        if (filler.defined()) {
            // All of LibTorch's threads write, so that the caches of each core are emptied.
            filler.fill_(1);
        }
        const auto start = std::chrono::steady_clock::now();
        work();
        const auto took = std::chrono::steady_clock::now() - start;
        if (i >= settings.warmUp) {
            samples.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
        }
    }
    return samples;
}

} // namespace aotscope::torch
