#include "rerun/device_limits.h"

#include "cuda/devices.h"
#include "torch_headers.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <mutex>
#include <unistd.h>

namespace aotscope::torch {

namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Below it nobody would notice, and the system counts no finer.
constexpr double disturbing = 0.1;
constexpr double shortestSeconds = 0.05;

/// Sizes of the copied tensors: the first ones stay in the caches of a core, the last one in none.
constexpr std::array<std::int64_t, 5> copiedBytes = {std::int64_t{32} << 10, std::int64_t{256} << 10,
                                                     std::int64_t{2} << 20, std::int64_t{16} << 20,
                                                     std::int64_t{128} << 20};
constexpr std::array<std::int64_t, 2> multiplied = {256, 768};
constexpr int mostMeasurements = 4;

/// The shortest of many repetitions, in seconds: the one that was disturbed least.
template<typename Work>
double shortest(Work&& work) {
    constexpr Seconds enough(0.08);
    constexpr int fewest = 4;
    constexpr int most = 20'000;
    double best = std::numeric_limits<double>::infinity();
    const auto begin = steady_clock::now();
    for (int i = 0; i < most && (i < fewest || steady_clock::now() - begin < enough); ++i) {
        const auto start = steady_clock::now();
        work();
        best = std::min(best, Seconds(steady_clock::now() - start).count());
    }
    return best;
}

class CpuLimits {
public:
    session::DeviceLimits of(std::int64_t bytes) {
        const std::lock_guard lock(m_mutex);
        if (m_measurements == 0) {
            measure();
        }
        session::DeviceLimits limits;
        limits.device = "this computer's CPU";
        limits.flopsPerSecond = m_flopsPerSecond;
        std::int64_t size = copiedBytes.front();
        for (std::size_t i = 0; i < copiedBytes.size(); ++i) {
            // A copy reads each byte and writes it.
            size = 2 * copiedBytes[i] <= bytes ? copiedBytes[i] : size;
        }
        for (std::size_t i = 0; i < copiedBytes.size(); ++i) {
            if (copiedBytes[i] >= size) {
                limits.bytesPerSecond = std::max(limits.bytesPerSecond, m_bytesPerSecond[i]);
            }
        }
        limits.origin = "measured here with " + std::to_string(at::get_num_threads()) +
                        (at::get_num_threads() == 1 ? " thread" : " threads") + ": copies from " +
                        sizeText(size) + " on, and products of float32 matrices" +
                        (m_disturbed.empty() ? "" : " (" + m_disturbed + ": too low, probably)");
        return limits;
    }

    void again() {
        const std::lock_guard lock(m_mutex);
        if (m_measurements < mostMeasurements) {
            measure();
        }
    }

private:
    static std::string sizeText(std::int64_t bytes) {
        return bytes >= (1 << 20) ? std::to_string(bytes >> 20) + " MiB"
                                  : std::to_string(bytes >> 10) + " KiB";
    }

    void measure() {
        ++m_measurements;
        const OtherLoad others;
        for (std::size_t i = 0; i < copiedBytes.size(); ++i) {
            const at::Tensor from = at::ones({copiedBytes[i]}, at::TensorOptions(c10::kByte));
            const at::Tensor to = at::ones({copiedBytes[i]}, at::TensorOptions(c10::kByte));
            const double seconds = shortest([&] { to.copy_(from); });
            m_bytesPerSecond[i] =
                std::max(m_bytesPerSecond[i], 2 * static_cast<double>(copiedBytes[i]) / seconds);
        }
        for (const std::int64_t size : multiplied) {
            const at::Tensor matrix = at::ones({size, size}, at::TensorOptions(c10::kFloat));
            const double seconds = shortest([&] { (void)at::mm(matrix, matrix); });
            m_flopsPerSecond =
                std::max(m_flopsPerSecond, 2.0 * static_cast<double>(size * size * size) / seconds);
        }
        // A measurement that nothing disturbed counts, whatever was before.
        const std::string words = others.words();
        m_disturbed = m_measurements > 1 && m_disturbed.empty() ? std::string() : words;
    }

    std::mutex m_mutex;
    std::array<double, copiedBytes.size()> m_bytesPerSecond{};
    double m_flopsPerSecond = 0;
    int m_measurements = 0;
    /// Empty: a measurement was not disturbed.
    std::string m_disturbed;
};

CpuLimits& measuredLimits() {
    static CpuLimits limits;
    return limits;
}

} // namespace

session::DeviceLimits cpuLimits(std::int64_t bytes) {
    return measuredLimits().of(bytes);
}

void measureCpuLimitsAgain() {
    measuredLimits().again();
}

session::DeviceLimits gpuLimits(int device) {
    session::DeviceLimits limits;
    const base::Result<CudaDriver>& driver = CudaDriver::machine();
    if (const auto info =
            driver ? gpuInfo(*driver, device) : base::Result<session::DeviceInfo>(driver.error())) {
        limits.device = info->name;
        limits.bytesPerSecond = info->peakBytesPerSecond;
        limits.flopsPerSecond = info->peakFlopsPerSecond;
        limits.origin = "by the clock and width of its memory, and one float32 multiply-add of each core per "
                        "clock: its matrix units do more";
    }
    return limits;
}

OtherLoad::OtherLoad() : m_before(used()), m_start(std::chrono::steady_clock::now()) {}

/// The first line of Linux's /proc/stat: ticks of user, nice, system, idle, iowait, irq, softirq and steal.
std::optional<OtherLoad::Used> OtherLoad::used() {
    std::ifstream file("/proc/stat");
    std::string word;
    std::array<double, 8> ticks{};
    if (!(file >> word) || word != "cpu") {
        return std::nullopt;
    }
    for (double& each : ticks) {
        if (!(file >> each)) {
            return std::nullopt;
        }
    }
    timespec own{};
    const long perSecond = sysconf(_SC_CLK_TCK);
    if (perSecond <= 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0) {
        return std::nullopt;
    }
    Used sum;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const bool isIdle = i == 3 || i == 4;
        (isIdle ? sum.idle : sum.all) += ticks[i] / static_cast<double>(perSecond);
    }
    sum.own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
    return sum;
}

std::string OtherLoad::words() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_start;
    const std::optional<Used> now = used();
    if (!m_before || !now || passed.count() < shortestSeconds) {
        return {};
    }
    const double busy = now->all - m_before->all;
    const double total = busy + now->idle - m_before->idle;
    const double others = total <= 0 ? 0 : std::clamp((busy - (now->own - m_before->own)) / total, 0.0, 1.0);
    return others < disturbing ? std::string()
                               : "other programs used " + std::to_string(std::lround(100 * others)) +
                                     " % of the processors meanwhile";
}

} // namespace aotscope::torch
