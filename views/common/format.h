#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"
#include "load/trace_log.h"

#include <QString>

#include <cstdint>
#include <string>

/// How numbers, states and names are written everywhere in the window.
namespace aotscope::views {

/// A unit for a whole column, so that its numbers can be compared at a glance.
struct Unit {
    double divisor = 1;
    QString name;
    int decimals = 0;
};
[[nodiscard]] Unit byteUnit(std::int64_t largest);
[[nodiscard]] Unit timeUnit(std::int64_t largestNanoseconds);
[[nodiscard]] QString inUnit(double value, const Unit& unit, bool withName = true);

/// "12.4 MiB"
[[nodiscard]] QString formatBytes(std::int64_t bytes);
/// "4.1 ms"
[[nodiscard]] QString formatNanoseconds(std::int64_t nanoseconds);
/// Where words (left) and numbers (right) stand in the cells of a table: for Qt::TextAlignmentRole.
[[nodiscard]] int cellAlignment(bool isNumber);
/// "20 431", grouped by thin spaces.
[[nodiscard]] QString formatCount(std::uint64_t count);
/// "1 node", "20 431 nodes"
[[nodiscard]] QString formatCount(std::uint64_t count, const char* one, const char* many);
/// A statistic of a tensor, four significant digits.
[[nodiscard]] QString formatNumber(double value);
/// "float32[8, 16, 32]"
[[nodiscard]] QString typeText(const session::TensorSummary& summary);

[[nodiscard]] QString statusGlyph(load::CompileStatus status);
[[nodiscard]] QString statusWord(load::CompileStatus status);
[[nodiscard]] QString cacheWord(load::CacheState cache);
[[nodiscard]] QString payloadStateText(load::PayloadState state);

/// "Joint" for "joint"; other artifact names are unchanged.
[[nodiscard]] QString artifactTitle(const std::string& name);
/// "0/0 joint · cond_true"
[[nodiscard]] QString referenceText(const session::ArtifactReference& reference);
/// The last part of a path.
[[nodiscard]] QString fileNameOf(const std::string& path);
[[nodiscard]] inline QString text(const std::string& utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

} // namespace aotscope::views
