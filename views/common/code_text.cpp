#include "common/code_text.h"

#include "base/progress.h"
#include "base/utf16.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace aotscope::views {

namespace {

constexpr std::size_t sliceSize = 1U << 20U;
/// A match may extend this far into the next slice.
constexpr std::size_t longestMatch = 16U << 10U;

/// A part of the text that is searched at once. Matches must begin in its first `own` bytes.
struct Slice {
    std::size_t begin = 0;
    std::size_t own = 0;
    std::string_view text;
};

/// A position near `at` between characters, at the start of a line if there is one.
std::size_t cutNear(std::string_view text, std::size_t at) {
    if (at >= text.size()) {
        return text.size();
    }
    const std::size_t lineFeed = text.substr(0, at).rfind('\n');
    const bool isNear = lineFeed != std::string_view::npos && at - lineFeed <= sliceSize / 2;
    return isNear ? lineFeed + 1 : base::characterStart(text, at);
}

Slice sliceAt(std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t with = std::min(text.size(), end + longestMatch);
    return {begin, end - begin, text.substr(begin, base::characterStart(text, with) - begin)};
}

/// The first or last match that begins in the slice's own part.
std::optional<TextMatch> findInSlice(const Slice& slice, const QRegularExpression& pattern, bool last) {
    const QString words = wordsOf(slice.text);
    const auto own = static_cast<qsizetype>(base::utf16Units(slice.text.substr(0, slice.own)));
    QRegularExpressionMatch found;
    QRegularExpressionMatchIterator matches = pattern.globalMatch(words);
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        if (match.capturedStart() >= own || (!last && found.hasMatch())) {
            break;
        }
        if (match.capturedLength() > 0) {
            found = match;
        }
    }
    if (!found.hasMatch()) {
        return std::nullopt;
    }
    const auto bytesOf = [&](qsizetype units) {
        return slice.begin + base::bytesOfUtf16(slice.text, static_cast<std::size_t>(units));
    };
    return TextMatch{bytesOf(found.capturedStart()), bytesOf(found.capturedEnd())};
}

std::optional<TextMatch> findForwards(std::string_view text, const TextQuery& query, std::size_t from,
                                      std::size_t to, TextSearch& search) {
    while (from < to && !search.stop.stop_requested()) {
        const std::size_t end = std::min(to, std::max(cutNear(text, from + sliceSize), from + 1));
        if (const auto found = findInSlice(sliceAt(text, from, end), query.pattern, false)) {
            return found;
        }
        search.looked += end - from;
        from = end;
    }
    return std::nullopt;
}

std::optional<TextMatch> findBackwards(std::string_view text, const TextQuery& query, std::size_t from,
                                       std::size_t to, TextSearch& search) {
    while (from < to && !search.stop.stop_requested()) {
        const std::size_t near = to - from > sliceSize ? cutNear(text, to - sliceSize) : from;
        const std::size_t begin = std::clamp(near, from, to - 1);
        if (const auto found = findInSlice(sliceAt(text, begin, to), query.pattern, true)) {
            return found;
        }
        search.looked += to - begin;
        to = begin;
    }
    return std::nullopt;
}

} // namespace

QString wordsOf(std::string_view text) {
    const bool isAscii =
        std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
    return isAscii ? QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()))
                   : QString::fromStdU16String(base::toUtf16(text));
}

base::TextLinesPtr linesOf(std::string text) {
    struct Owned {
        std::string text;
        base::TextLinesPtr lines;
    };
    auto owned = std::make_shared<Owned>();
    owned->text = std::move(text);
    base::Progress progress;
    owned->lines = base::TextLines::of(owned->text, progress).value();
    return {owned, owned->lines.get()};
}

std::optional<TextMatch> findInText(std::string_view text, TextQuery query, TextSearch& search) {
    query.pattern.setPatternOptions(query.pattern.patternOptions() | QRegularExpression::MultilineOption);
    const std::size_t from = std::min(query.from, text.size());
    if (query.backwards) {
        auto found = findBackwards(text, query, 0, from, search);
        return found ? found : findBackwards(text, query, from, text.size(), search);
    }
    auto found = findForwards(text, query, from, text.size(), search);
    return found ? found : findForwards(text, query, 0, from, search);
}

} // namespace aotscope::views
