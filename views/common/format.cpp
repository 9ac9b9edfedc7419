#include "common/format.h"

#include "load/graph_kind.h"

#include <cmath>

namespace aotscope::views {

namespace {
constexpr QChar thinSpace(0x2009);

QString grouped(QString digits) {
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    const qsizetype first = digits.startsWith(QLatin1Char('-')) ? 1 : 0;
    for (qsizetype at = (point < 0 ? digits.size() : point) - 3; at > first; at -= 3) {
        digits.insert(at, thinSpace);
    }
    return digits;
}
} // namespace

Unit byteUnit(std::int64_t largest) {
    constexpr std::int64_t kibi = 1024;
    if (largest < 10 * kibi) {
        return {1, QStringLiteral("B"), 0};
    }
    if (largest < 10 * kibi * kibi) {
        return {double(kibi), QStringLiteral("KiB"), 1};
    }
    if (largest < 10 * kibi * kibi * kibi) {
        return {double(kibi * kibi), QStringLiteral("MiB"), 1};
    }
    return {double(kibi * kibi * kibi), QStringLiteral("GiB"), 2};
}

Unit timeUnit(std::int64_t largestNanoseconds) {
    if (largestNanoseconds < 10'000'000) {
        return {1e3, QStringLiteral("µs"), 1};
    }
    if (largestNanoseconds < 10'000'000'000) {
        return {1e6, QStringLiteral("ms"), 2};
    }
    return {1e9, QStringLiteral("s"), 2};
}

QString inUnit(double value, const Unit& unit, bool withName) {
    const QString number = grouped(QString::number(value / unit.divisor, 'f', unit.decimals));
    return withName ? number + QLatin1Char(' ') + unit.name : number;
}

int cellAlignment(bool isNumber) {
    return static_cast<int>((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QString formatBytes(std::int64_t bytes) {
    constexpr std::int64_t kibibyte = 1LL << 10;
    constexpr std::int64_t mebibyte = 1LL << 20;
    if (bytes < kibibyte) {
        return inUnit(double(bytes), {1, QStringLiteral("B"), 0});
    }
    if (bytes < mebibyte) {
        return inUnit(double(bytes), {double(kibibyte), QStringLiteral("KiB"), 1});
    }
    constexpr std::int64_t gibibyte = 1LL << 30;
    return inUnit(double(bytes), bytes < gibibyte ? Unit{double(mebibyte), QStringLiteral("MiB"), 1}
                                                  : Unit{double(gibibyte), QStringLiteral("GiB"), 2});
}

QString formatNanoseconds(std::int64_t nanoseconds) {
    if (nanoseconds < 1'000'000) {
        return inUnit(double(nanoseconds), {1e3, QStringLiteral("µs"), 1});
    }
    return inUnit(double(nanoseconds), nanoseconds < 1'000'000'000 ? Unit{1e6, QStringLiteral("ms"), 1}
                                                                   : Unit{1e9, QStringLiteral("s"), 2});
}

QString formatCount(std::uint64_t count) {
    return grouped(QString::number(count));
}

QString formatCount(std::uint64_t count, const char* one, const char* many) {
    return formatCount(count) + QLatin1Char(' ') + QString::fromUtf8(count == 1 ? one : many);
}

QString formatNumber(double value) {
    if (std::isnan(value)) {
        return QStringLiteral("nan");
    }
    if (std::isinf(value)) {
        return value < 0 ? QStringLiteral("-inf") : QStringLiteral("inf");
    }
    return QString::number(value, 'g', 4);
}

QString statusGlyph(load::CompileStatus status) {
    switch (status) {
    case load::CompileStatus::Succeeded:
        return QStringLiteral("✓");
    case load::CompileStatus::Failed:
        return QStringLiteral("✗");
    case load::CompileStatus::Restarted:
        return QStringLiteral("↻");
    case load::CompileStatus::Empty:
        return QStringLiteral("○");
    case load::CompileStatus::Ended:
        return QStringLiteral("■");
    case load::CompileStatus::Unfinished:
        break;
    }
    return QStringLiteral("…");
}

QString statusWord(load::CompileStatus status) {
    switch (status) {
    case load::CompileStatus::Succeeded:
        return QStringLiteral("ok");
    case load::CompileStatus::Failed:
        return QStringLiteral("failed");
    case load::CompileStatus::Restarted:
        return QStringLiteral("restarted");
    case load::CompileStatus::Empty:
        return QStringLiteral("no graph");
    case load::CompileStatus::Ended:
        return QStringLiteral("ended");
    case load::CompileStatus::Unfinished:
        break;
    }
    return QStringLiteral("unfinished");
}

QString cacheWord(load::CacheState cache) {
    switch (cache) {
    case load::CacheState::Hit:
        return QStringLiteral("hit");
    case load::CacheState::Miss:
        return QStringLiteral("miss");
    case load::CacheState::Bypass:
        return QStringLiteral("bypass");
    case load::CacheState::Unknown:
        break;
    }
    return {};
}

QString payloadStateText(load::PayloadState state) {
    switch (state) {
    case load::PayloadState::None:
        return QStringLiteral("no payload");
    case load::PayloadState::Good:
        return QStringLiteral("md5 ✓");
    case load::PayloadState::GoodAfterLineEndings:
        return QStringLiteral("md5 ✓ (line endings differ)");
    case load::PayloadState::Bad:
        return QStringLiteral("md5 ✗ differs from the record");
    case load::PayloadState::NotChecked:
        break;
    }
    return QStringLiteral("md5 not checked");
}

QString artifactTitle(const std::string& name) {
    const std::size_t hash = name.find('#');
    const std::string stem = name.substr(0, hash);
    const std::optional<load::GraphKind> kind = load::tryGraphKind(stem);
    if (!kind || stem != base::wordOf(*kind) || *kind == load::GraphKind::File) {
        return text(name);
    }
    QString title = *kind == load::GraphKind::InferenceAfterPasses
                        ? QObject::tr("Inference after subgraph passes")
                        : text(stem).replace(QLatin1Char('_'), QLatin1Char(' '));
    title[0] = title[0].toUpper();
    return hash == std::string::npos ? title : title + QLatin1Char(' ') + text(name.substr(hash));
}

QString referenceText(const session::ArtifactReference& reference) {
    QString result = text(idText(reference));
    if (!reference.artifact.empty()) {
        result += QLatin1Char(' ') + text(reference.artifact);
    }
    for (const std::string& part : reference.subgraph) {
        result += QStringLiteral(" · ") + text(part);
    }
    return result;
}

QString typeText(const session::TensorSummary& summary) {
    QStringList sizes;
    for (const std::int64_t size : summary.shape) {
        sizes.append(QString::number(size));
    }
    return text(summary.dtype) + QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString fileNameOf(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return text(slash == std::string::npos ? path : path.substr(slash + 1));
}

} // namespace aotscope::views
