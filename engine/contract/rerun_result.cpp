#include "contract/rerun_result.h"

#include <algorithm>
#include <numeric>

namespace aotscope::session {

namespace {

/// The value below which `fraction` of the sorted samples lie, interpolated between the two nearest.
double percentile(const std::vector<std::int64_t>& sorted, double fraction) {
    const double position = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const auto from = static_cast<double>(sorted[below]);
    const auto to = static_cast<double>(sorted[above]);
    return from + (to - from) * (position - static_cast<double>(below));
}

std::optional<double> perSecond(std::int64_t amount, const std::vector<std::int64_t>& samples) {
    const std::optional<RerunTimes> times = rerunTimes(samples, 1);
    if (!times || times->median <= 0 || amount <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(amount) * 1e9 / times->median;
}

} // namespace

std::optional<RerunTimes> rerunTimes(std::span<const std::int64_t> samples, std::size_t bins) {
    if (samples.empty() || bins == 0) {
        return std::nullopt;
    }
    std::vector<std::int64_t> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    RerunTimes times;
    times.minimum = static_cast<double>(sorted.front());
    times.median = percentile(sorted, 0.5);
    times.p95 = percentile(sorted, 0.95);
    times.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
    const auto maximum = static_cast<double>(sorted.back());
    times.histogram.from = times.minimum;
    times.histogram.to = std::min(maximum, times.p95 + (times.p95 - times.minimum) / 4);
    times.histogram.counts.assign(bins, 0);
    const double width = (times.histogram.to - times.histogram.from) / static_cast<double>(bins);
    for (const std::int64_t sample : sorted) {
        const auto value = static_cast<double>(sample);
        if (value > times.histogram.to) {
            ++times.beyond;
            continue;
        }
        const auto bin = width > 0 ? static_cast<std::size_t>((value - times.minimum) / width) : 0;
        ++times.histogram.counts[std::min(bin, bins - 1)];
    }
    return times;
}

std::optional<double> RerunResult::bytesPerSecond() const {
    return cost ? perSecond(cost->bytes, samples) : std::nullopt;
}

std::optional<double> RerunResult::flopsPerSecond() const {
    return cost ? perSecond(cost->flops, samples) : std::nullopt;
}

} // namespace aotscope::session
