#include "values/value_words.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace aotscope::views {

namespace {

QString words(const char* text) {
    return QCoreApplication::translate("Values", text);
}

std::int64_t elementsOf(const session::TensorSummary& summary) {
    std::int64_t count = 1;
    for (const std::int64_t size : summary.shape) {
        count *= size;
    }
    return count;
}

QString shareText(std::int64_t count, std::int64_t all) {
    const QString number = formatCount(static_cast<std::uint64_t>(count));
    return count == 0 || all == 0
               ? number
               : number + QStringLiteral("  (%1 %)")
                              .arg(100.0 * static_cast<double>(count) / static_cast<double>(all), 0, 'g', 3);
}

} // namespace

QString statisticsText(const session::TensorSummary& summary) {
    QStringList lines;
    const auto add = [&lines](const char* name, const QString& number) {
        lines.append(words(name) + QLatin1Char('\t') + number);
    };
    const std::int64_t all = elementsOf(summary);
    add("elements", formatCount(static_cast<std::uint64_t>(all)));
    add("bytes", formatBytes(summary.bytes));
    if (summary.minimum) {
        add("minimum", formatNumber(*summary.minimum));
        add("mean", formatNumber(summary.mean.value_or(0)));
        add("maximum", formatNumber(*summary.maximum));
        add("largest magnitude", formatNumber(*summary.largestMagnitude()));
    }
    add("zeros", shareText(summary.zeroCount, all));
    add("subnormal", shareText(summary.subnormalCount, all));
    add("NaN", shareText(summary.nanCount, all));
    add("infinite", shareText(summary.infCount, all));
    return lines.join(QLatin1Char('\n'));
}

QString histogramText(const session::TensorSummary& summary) {
    if (!summary.histogram || summary.histogram->counts.empty()) {
        return words("No histogram: the tensor has no finite elements.");
    }
    const session::Histogram& histogram = *summary.histogram;
    const auto fullest = std::ranges::max_element(histogram.counts);
    const double width = (histogram.to - histogram.from) / static_cast<double>(histogram.counts.size());
    const double from = histogram.from + width * static_cast<double>(fullest - histogram.counts.begin());
    return words("%1 ranges from %2 to %3; most elements, %4, lie from %5 to %6.")
        .arg(histogram.counts.size())
        .arg(formatNumber(histogram.from), formatNumber(histogram.to), formatCount(*fullest),
             formatNumber(from), formatNumber(from + width));
}

} // namespace aotscope::views
