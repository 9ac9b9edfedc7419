// Reads a profiler's trace and says as JSON what that takes: seconds, memory of the columns, and the highest
// memory of the process, of which the mapped file is a part that the system can take back. For
// bench_timeline.py.
#include "timeline/chrome_trace_read.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

/// A line of /proc/self/status in MB.
double statusOf(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(key)) {
            return std::stod(line.substr(line.find(':') + 1)) * 1024 / 1e6;
        }
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    using namespace aotscope;
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_timeline TRACE.json\n");
        return 2;
    }
    const double megabytes = double(std::filesystem::file_size(argv[1])) / 1e6;
    const auto begin = std::chrono::steady_clock::now();
    const auto read = timeline::readChromeTrace(argv[1]);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!read) {
        std::fprintf(stderr, "%s\n", read.error().text().c_str());
        return 1;
    }
    const timeline::Timeline& timeline = **read;
    std::printf("{\"megabytes\": %.1f, \"events\": %zu, \"arrows\": %zu, \"seconds\": %.4f, "
                "\"columns_mb\": %.1f, \"own_mb\": %.1f, \"highest_mb\": %.1f}\n",
                megabytes, timeline.eventCount(), timeline.flows().size(), seconds,
                double(timeline.columnBytes()) / 1e6, statusOf("RssAnon"), statusOf("VmHWM"));
    return 0;
}
