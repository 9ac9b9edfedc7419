#include "rerun/other_load.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <unistd.h>

namespace aotscope::torch {

namespace {

/// Below it nobody would notice, and the system counts no finer.
constexpr double disturbing = 0.1;
constexpr double shortestSeconds = 0.05;

} // namespace

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
