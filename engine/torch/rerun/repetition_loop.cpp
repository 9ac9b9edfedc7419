#include "rerun/repetition_loop.h"

#include "cuda/kernel_launch.h"
#include "dispatch/failure.h"

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

using Work = std::function<base::Result<void>()>;

Work done(const std::function<void()>& what) {
    return [&what] {
        what();
        return base::Result<void>();
    };
}

/// How often the work is done between two events, for these to cost less than a hundredth of the time: of
/// work that takes so many milliseconds.
std::uint64_t inTurnFor(double milliseconds) {
    constexpr double longEnough = 0.2;
    constexpr double most = 64;
    return static_cast<std::uint64_t>(
        std::clamp(std::ceil(longEnough / std::max(milliseconds, 1e-6)), 1.0, most));
}

/// The repetitions of one run on a GPU.
class GpuTimer {
public:
    GpuTimer(int device, base::Progress& progress) : m_device(device), m_progress(progress) {
        if (!CudaDriver::machine()) {
            throw RunFailure(CudaDriver::machine().error());
        }
    }

    /// In milliseconds.
    std::vector<double> time(const session::RerunSettings& settings, const Work& before, const Work& work) {
        const auto stop = [&, i = std::size_t{0}]() mutable {
            report(m_progress, settings, i++);
            return m_progress.stopRequested();
        };
        const TimedRepetitions repetitions{.warmUps = static_cast<int>(settings.warmUp),
                                           .repeats = static_cast<int>(settings.repetitions),
                                           .coldCache = settings.coldCache};
        auto times = timeOnDevice(*CudaDriver::machine(), m_device, repetitions, work, before, stop);
        if (!times) {
            throw RunFailure(times.error());
        }
        if (m_progress.stopRequested()) {
            throw Canceled{};
        }
        return std::move(times).value();
    }

private:
    int m_device;
    base::Progress& m_progress;
};

RepetitionTimes timeOnGpu(session::RerunSettings settings, int device, base::Progress& progress,
                          const std::function<void()>& before, const std::function<void()>& work,
                          Between between) {
    GpuTimer timer(device, progress);
    RepetitionTimes result;
    if (between == Between::Optional && !settings.coldCache) {
        session::RerunSettings first = settings;
        first.repetitions = std::min<std::uint64_t>(settings.repetitions, 5);
        std::vector<double> times = timer.time(first, done(before), done(work));
        std::ranges::sort(times);
        result.inTurn = inTurnFor(times[times.size() / 2]);
        settings.warmUp = 0;
    }
    const auto several = [&] {
        for (std::uint64_t i = 0; i < result.inTurn; ++i) {
            work();
        }
    };
    result.samples.reserve(settings.repetitions);
    for (const double milliseconds : timer.time(settings, done(before), done(several))) {
        result.samples.push_back(std::llround(milliseconds * 1e6 / static_cast<double>(result.inTurn)));
    }
    return result;
}

} // namespace

RepetitionTimes timeRepetitions(const session::RerunSettings& settings, c10::Device device,
                                base::Progress& progress, const std::function<void()>& before,
                                const std::function<void()>& work, Between between) {
    return device.is_cuda() ? timeOnGpu(settings, device.index(), progress, before, work, between)
                            : RepetitionTimes{timeOnCpu(settings, progress, before, work)};
}

} // namespace aotscope::torch
