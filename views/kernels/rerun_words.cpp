#include "kernels/rerun_words.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace {

QString say(const char* words) {
    return QCoreApplication::translate("Rerun", words);
}

QString sizesText(const std::vector<std::int64_t>& sizes) {
    QStringList words;
    for (const std::int64_t size : sizes) {
        words.append(QString::number(size));
    }
    return QLatin1Char('[') + words.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString rateText(std::optional<double> rate, double limit, const QString& unit) {
    if (!rate) {
        return {};
    }
    QString words = say(" at %1 G%2/s").arg(QString::number(*rate / 1e9, 'g', 3), unit);
    if (limit > 0) {
        words += say(" (%1 % of the limit)").arg(std::lround(100 * *rate / limit));
    }
    return words;
}

} // namespace

QString kernelTime(double nanoseconds) {
    const auto [divisor, unit] = nanoseconds < 1e3   ? std::pair(1.0, "ns")
                                 : nanoseconds < 1e6 ? std::pair(1e3, "µs")
                                 : nanoseconds < 1e9 ? std::pair(1e6, "ms")
                                                     : std::pair(1e9, "s");
    const double number = nanoseconds / divisor;
    const int decimals = divisor == 1.0 ? 0 : number < 10 ? 2 : number < 100 ? 1 : 0;
    return QString::number(number, 'f', decimals) + QLatin1Char(' ') + QString::fromUtf8(unit);
}

QString timesText(const session::RerunTimes& times) {
    return say("min %1  ·  median %2  ·  p95 %3")
        .arg(kernelTime(times.minimum), kernelTime(times.median), kernelTime(times.p95));
}

QString settingsText(const session::RerunSettings& settings) {
    QStringList parts;
    const session::RerunChanges& changes = settings.changes;
    if (changes.dtype) {
        parts.append(text(std::string(ir::dtypeName(*changes.dtype))));
    }
    for (const auto& [symbol, value] : changes.symbols) {
        parts.append(QStringLiteral("%1 = %2").arg(text(symbol)).arg(value));
    }
    for (const auto& [input, sizes] : changes.sizes) {
        parts.append(text(input) + QLatin1Char(' ') + sizesText(sizes));
    }
    if (changes.device) {
        parts.append(say("moved to %1").arg(text(*changes.device)));
    }
    if (changes.deterministic) {
        parts.append(*changes.deterministic ? say("deterministic") : say("any algorithm"));
    }
    if (settings.coldCache) {
        parts.append(say("cold caches"));
    }
    return parts.join(QStringLiteral(", "));
}

QString placeText(const session::RerunResult& result) {
    return result.clock == session::RerunClock::CudaEvents
               ? say("on %1, timed by CUDA events").arg(text(result.device))
               : QString();
}

QString differenceText(const std::optional<session::ValueDifference>& difference) {
    if (!difference) {
        return {};
    }
    if (!difference->incomparable.empty()) {
        return text(difference->incomparable);
    }
    if (difference->max == 0) {
        return say("equal");
    }
    return say("max %1 (relative %2)").arg(formatNumber(difference->max), formatNumber(difference->relative));
}

QString worstDifferenceText(const session::RerunSnapshot& rerun) {
    const session::ValueDifference* worst = nullptr;
    for (const session::RerunValue& value : rerun.result->outputs) {
        const auto& difference = rerun.baseline ? value.fromBaseline : value.fromRun;
        const bool isWorse = difference && (worst == nullptr || !difference->incomparable.empty() ||
                                            (worst->incomparable.empty() && difference->max > worst->max));
        worst = isWorse ? &*difference : worst;
    }
    if (worst == nullptr) {
        return {};
    }
    const QString beside = rerun.baseline ? say("beside the baseline: %1") : say("beside the run: %1");
    return beside.arg(differenceText(*worst));
}

QString costText(const session::RerunResult& result) {
    if (!result.cost) {
        return {};
    }
    const session::DeviceLimits limits = result.limits.value_or(session::DeviceLimits());
    QString words = say("moves %1").arg(formatBytes(result.cost->bytes)) +
                    rateText(result.bytesPerSecond(), limits.bytesPerSecond, QStringLiteral("B"));
    if (result.cost->flops > 0) {
        words +=
            say("  ·  computes %1 flops").arg(formatCount(static_cast<std::uint64_t>(result.cost->flops))) +
            rateText(result.flopsPerSecond(), limits.flopsPerSecond, QStringLiteral("flop"));
    }
    return words;
}

session::RerunChanges readSizes(const QString& words, const std::vector<std::string>& symbols,
                                QString& failure) {
    session::RerunChanges changes;
    const QStringList parts = words.split(QRegularExpression(QStringLiteral("[,;\\s]+")), Qt::SkipEmptyParts);
    for (const QString& part : parts) {
        const QStringList sides = part.split(QLatin1Char('='));
        std::vector<std::int64_t> sizes;
        bool isGood = sides.size() == 2 && !sides[0].isEmpty();
        const QStringList numbers = isGood ? sides[1].split(QLatin1Char('x')) : QStringList();
        for (const QString& number : numbers) {
            bool isNumber = false;
            sizes.push_back(number.toLongLong(&isNumber));
            isGood = isGood && isNumber && sizes.back() >= 0;
        }
        if (!isGood) {
            failure = say("“%1” is no size: write x=8x16 for an input, s0=4 for a symbol").arg(part);
            return {};
        }
        const std::string name = sides[0].toStdString();
        const bool isSymbol = std::ranges::find(symbols, name) != symbols.end();
        if (isSymbol && sizes.size() == 1) {
            changes.symbols[name] = sizes.front();
        } else {
            changes.sizes[name] = std::move(sizes);
        }
    }
    return changes;
}

} // namespace aotscope::views
