// Reads one trace log completely and prints the cost as JSON.
#include "load/trace_log.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Resident {
    std::uint64_t anonymousKib = 0;
    std::uint64_t fileKib = 0;
};

Resident residentNow() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::uint64_t shared = 0;
    in >> size >> resident >> shared;
    const auto pageKib = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
    return {(resident - shared) * pageKib, shared * pageKib};
}

/// Samples the process's memory every millisecond. The kernel's own peak would include the mapped file.
class PeakMemory {
public:
    PeakMemory() : m_before(residentNow()) {
        m_watcher = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                look();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
    }

    /// Everything but pages of files that were mapped since the start.
    [[nodiscard]] std::uint64_t beyondMappingKib() {
        look();
        return m_peak.load() + m_before.fileKib;
    }

private:
    void look() {
        const std::uint64_t now = residentNow().anonymousKib;
        for (std::uint64_t peak = m_peak; now > peak && !m_peak.compare_exchange_weak(peak, now);) {
        }
    }

    Resident m_before;
    std::atomic<std::uint64_t> m_peak = 0;
    std::jthread m_watcher;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_load LOG [--verify]\n";
        return 2;
    }
    PeakMemory memory;
    const auto start = Clock::now();
    double firstPartial = -1;
    aotscope::load::ReadOptions options;
    options.verifyPayloads = argc > 2 && std::string(argv[2]) == "--verify";
    options.onPartial = [&](const aotscope::load::TraceLogPtr& log) {
        if (firstPartial < 0 && !log->compiles().empty()) {
            firstPartial = secondsSince(start);
        }
    };
    const auto log = aotscope::load::TraceLog::read(argv[1], options);
    const double seconds = secondsSince(start);
    if (!log) {
        std::cerr << log.error().text() << '\n';
        return 3;
    }
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto& totals = (*log)->totals();
    std::cout << "{\"seconds\": " << seconds
              << ", \"seconds_to_first_rows\": " << (firstPartial < 0 ? seconds : firstPartial)
              << ", \"bytes\": " << totals.bytes << ", \"lines\": " << totals.lines
              << ", \"records\": " << totals.records << ", \"payloads\": " << totals.payloads
              << ", \"compiles\": " << (*log)->compiles().size() << ", \"problems\": " << totals.problems
              << ", \"beyond_mapping_kib\": " << memory.beyondMappingKib()
              << ", \"peak_rss_kib\": " << usage.ru_maxrss << "}\n";
    return 0;
}
