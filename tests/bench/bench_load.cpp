// Reads one trace log to the complete compile tree and prints what it cost, as JSON.
#include "load/trace_log.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/resource.h>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A line of /proc/self/status in KiB.
std::uint64_t statusKib(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;) {
        if (word == key + ":") {
            std::uint64_t value = 0;
            in >> value;
            return value;
        }
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: bench_load LOG [--verify]\n";
        return 2;
    }
    const auto before = statusKib("VmHWM");
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
    const auto& totals = (*log)->totals();
    std::cout << "{\"seconds\": " << seconds
              << ", \"seconds_to_first_rows\": " << (firstPartial < 0 ? seconds : firstPartial)
              << ", \"bytes\": " << totals.bytes << ", \"lines\": " << totals.lines
              << ", \"records\": " << totals.records << ", \"payloads\": " << totals.payloads
              << ", \"compiles\": " << (*log)->compiles().size() << ", \"problems\": "
              << totals.problems
              // The peak counts pages of the mapped file as far as they were resident at the same time.
              << ", \"peak_rss_kib\": " << statusKib("VmHWM") << ", \"rss_before_kib\": " << before
              << ", \"anonymous_kib\": " << statusKib("RssAnon") << "}\n";
    return 0;
}
