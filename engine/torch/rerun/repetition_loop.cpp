#include "rerun/repetitions.h"

#include "base/mapped.h"
#include "cuda/kernel_launch.h"
#include "dispatch/failure.h"

#include "contract/rerun_result.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unistd.h>

namespace aotscope::torch {

namespace {

/// More than the largest cache of this computer holds.
std::int64_t cacheFillerBytes() {
    constexpr std::int64_t least = std::int64_t{64} << 20;
    return std::max<std::int64_t>(least, 2 * ::sysconf(_SC_LEVEL3_CACHE_SIZE));
}

void report(base::Progress& progress, const session::RerunSettings& settings, std::size_t done) {
    progress.report(done < settings.warmUp ? "Warming up" : "Repeating", done,
                    settings.warmUp + settings.repetitions);
}

std::vector<std::int64_t> timeOnCpu(const session::RerunSettings& settings, base::Progress& progress,
                                    const std::function<void()>& before, const std::function<void()>& work) {
    at::Tensor filler;
    if (settings.coldCache) {
        filler = at::empty({cacheFillerBytes()}, at::TensorOptions(c10::kByte));
    }
    std::vector<std::int64_t> samples;
    samples.reserve(settings.repetitions);
    for (std::size_t i = 0; i < settings.warmUp + settings.repetitions; ++i) {
        if (progress.stopRequested()) {
            throw Canceled{};
        }
        report(progress, settings, i);
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

std::vector<std::int64_t> timeOnGpu(const session::RerunSettings& settings, int device,
                                    base::Progress& progress, const std::function<void()>& before,
                                    const std::function<void()>& work) {
    const CudaDriver driver = valueOrThrow(CudaDriver::machine());
    const auto done = [](const std::function<void()>& what) {
        return [&what] {
            what();
            return base::Result<void>();
        };
    };
    const auto stop = [&, i = std::size_t{0}]() mutable {
        report(progress, settings, i++);
        return progress.stopRequested();
    };
    const TimedRepetitions repetitions{.warmUps = static_cast<int>(settings.warmUp),
                                       .repeats = static_cast<int>(settings.repetitions),
                                       .coldCache = settings.coldCache};
    const std::vector<double> times =
        valueOrThrow(timeOnDevice(driver, device, repetitions, done(work), done(before), stop));
    if (progress.stopRequested()) {
        throw Canceled{};
    }
    return base::mapped<std::vector<std::int64_t>>(
        times, [](const double milliseconds) { return std::llround(milliseconds * 1e6); });
}

} // namespace

std::vector<std::int64_t> timeRepetitions(const session::RerunSettings& settings, c10::Device device,
                                          base::Progress& progress, const std::function<void()>& before,
                                          const std::function<void()>& work) {
    return device.is_cuda() ? timeOnGpu(settings, device.index(), progress, before, work)
                            : timeOnCpu(settings, progress, before, work);
}

double medianOverhead(c10::Device device, base::Progress& progress, const std::function<void()>& work) {
    session::RerunSettings settings;
    settings.repetitions = 101;
    settings.warmUp = 0;
    return session::rerunTimes(timeRepetitions(
                                   settings, device, progress, [] {}, work),
                               1)
        ->median;
}

} // namespace aotscope::torch
