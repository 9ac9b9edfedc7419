#include "base/progress.h"
#include "base/text_lines.h"
#include "base/utf16.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace aotscope::base;

namespace {

TextLinesPtr linesOf(std::string_view text) {
    Progress progress;
    return TextLines::of(text, progress).value();
}

/// Random lines of all lengths, up to many pieces, with characters of one to four bytes and invalid bytes.
std::string anyText(unsigned int seed) {
    static const std::vector<std::string> characters = {
        "a", "b", "\xc3\xa4", "\xe2\x86\xba", "\xf0\x9f\x98\x80", "\xff", "\x80", "\xe2\x86"};
    std::mt19937 random(seed);
    std::string text;
    for (int line = 0; line < 60; ++line) {
        const std::size_t length = line % 20 == 7 ? 40'000 : random() % 120;
        const bool plain = random() % 2 == 0;
        for (std::size_t i = 0; i < length; ++i) {
            text += plain ? "x" : characters[random() % characters.size()];
        }
        text += '\n';
    }
    return seed % 2 == 0 ? text : text + "end";
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    if (text.ends_with('\n')) {
        lines.pop_back();
    }
    return lines;
}

} // namespace

TEST_CASE("UTF-8 becomes UTF-16, and what is none a replacement for each byte") {
    CHECK(toUtf16("a\xc3\xa4\xe2\x86\xba") == u"a\u00e4\u21ba");
    CHECK(toUtf16("\xf0\x9f\x98\x80") == u"\U0001F600");
    CHECK(toUtf16("\xff"
                  "a\xe2\x86") == u"\uFFFDa\uFFFD\uFFFD");
    CHECK(toUtf16("\xc0\xaf\xed\xa0\x80") == u"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
    for (unsigned int seed = 0; seed < 4; ++seed) {
        const std::string text = anyText(seed);
        CHECK(utf16Units(text) == toUtf16(text).size());
    }
}

TEST_CASE("a number of units never cuts a character") {
    const std::string text = "aaaaaaaaaa\xf0\x9f\x98\x80z";
    CHECK(bytesOfUtf16(text, 3) == 3);
    CHECK(bytesOfUtf16(text, 10) == 10);
    CHECK(bytesOfUtf16(text, 11) == 10);
    CHECK(bytesOfUtf16(text, 12) == 14);
    CHECK(bytesOfUtf16(text, 100) == text.size());
    CHECK(characterStart(text, 12) == 10);
    CHECK(characterStart(text, 14) == 14);
    CHECK(characterStart("\x80\x80\x80\x80", 2) == 2);
}

TEST_CASE("lines of any text are found, with their columns") {
    for (unsigned int seed = 0; seed < 4; ++seed) {
        CAPTURE(seed);
        const std::string text = anyText(seed);
        const std::vector<std::string> expected = split(text);
        const TextLinesPtr lines = linesOf(text);
        REQUIRE(lines->count() == expected.size());
        std::size_t longest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::u16string wide = toUtf16(expected[i]);
            longest = std::max(longest, wide.size());
            REQUIRE(lines->line(i) == expected[i]);
            REQUIRE(lines->unitsIn(i) == wide.size());
            for (std::size_t column = 0; column <= wide.size(); column += 1 + wide.size() / 9) {
                const std::size_t byte = lines->byteOf({i, column});
                const TextLines::Place place = lines->placeOf(byte);
                REQUIRE(place.line == i);
                // Within a character of two units it is the character's.
                REQUIRE(place.column + 1 >= column);
                REQUIRE(place.column <= column);
                const std::u16string part = toUtf16(lines->part(i, place.column, place.column + 30));
                REQUIRE(wide.substr(place.column, part.size()) == part);
                REQUIRE(part.size() + 1 >= std::min<std::size_t>(30, wide.size() - place.column));
            }
        }
        CHECK(lines->longest() == longest);
    }
}

TEST_CASE("a line feed at the end begins no line") {
    CHECK(linesOf("")->count() == 1);
    CHECK(linesOf("")->line(0).empty());
    CHECK(linesOf("\n")->count() == 1);
    CHECK(linesOf("a\n")->count() == 1);
    CHECK(linesOf("a\n\n")->count() == 2);
    CHECK(linesOf("a\nb")->line(1) == "b");
    CHECK(linesOf("a\nb")->line(2).empty());
    CHECK(linesOf("a\n")->placeOf(2).line == 0);
    CHECK(linesOf("a\n")->placeOf(2).column == 1);
}

TEST_CASE("finding the lines can be canceled") {
    const std::string text(1U << 20U, 'x');
    std::stop_source stop;
    int told = 0;
    Progress progress(
        [&](const ProgressState& state) {
            ++told;
            CHECK(state.total == text.size());
            stop.request_stop();
        },
        stop.get_token());
    const auto lines = TextLines::of(text, progress);
    REQUIRE(!lines);
    CHECK(isCanceled(lines.error()));
    CHECK(told == 1);
}
