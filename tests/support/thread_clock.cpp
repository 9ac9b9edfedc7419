#include "support/thread_clock.h"

#include <QHash>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace aotscope::test {
namespace {

double workOfThisThread() {
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

/// Work like a window's: small allocations, hashing, text and sorting.
qsizetype pieceOfWork() {
    constexpr int rows = 1'000;
    QHash<QString, int> places;
    QStringList names;
    for (int i = 0; i < rows; ++i) {
        names.append(QStringLiteral("node %1").arg((i * 7919) % rows));
        places.insert(names.last(), i);
    }
    std::sort(names.begin(), names.end());
    qsizetype sum = 0;
    for (const QString& name : names) {
        sum += places.value(name) % 2;
    }
    return sum + names.join(QLatin1Char('\n')).size();
}

} // namespace

ThreadClock::ThreadClock() : m_file(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadClock::~ThreadClock() {
    if (m_file >= 0) {
        ::close(m_file);
    }
}

ThreadClock::Times ThreadClock::now() const {
    Times times{.work = workOfThisThread()};
    std::array<char, 96> text{};
    // The file's numbers: nanoseconds on a processor, nanoseconds waiting for one, number of time slices.
    if (m_file >= 0 && ::pread(m_file, text.data(), text.size() - 1, 0) > 0) {
        std::uint64_t ran = 0;
        std::uint64_t queued = 0;
        if (std::sscanf(text.data(), "%" SCNu64 " %" SCNu64, &ran, &queued) == 2) {
            times.queued = double(queued) * 1e-6;
        }
    }
    return times;
}

double slowness() {
    constexpr double meant = 1.6;
    // The median: a single measurement may be slowed by something that slows no other.
    std::array<double, 3> times{};
    for (double& time : times) {
        const double before = workOfThisThread();
        [[maybe_unused]] const volatile qsizetype kept = pieceOfWork();
        time = workOfThisThread() - before;
    }
    std::sort(times.begin(), times.end());
    return std::max(1.0, times[1] / meant);
}

} // namespace aotscope::test
