// Counting payload lines in blocks, compared with examining each line.
#include "load/payload_lines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using aotscope::load::countPayloadLines;
using aotscope::load::PayloadLines;

namespace {

PayloadLines oneByOne(std::string_view text) {
    PayloadLines out;
    for (std::size_t end = 0; out.bytes < text.size() && text[out.bytes] == '\t';
         out.bytes = end + 1, ++out.lines) {
        end = text.find('\n', out.bytes);
        if (end == std::string_view::npos) {
            break;
        }
    }
    return out;
}

std::string randomLines(std::mt19937& random, std::size_t size) {
    static constexpr std::string_view letters = "\t\n\tab \r\0\xff";
    std::string text = "\t";
    while (text.size() < size) {
        const bool payload = random() % 16 != 0;
        text += payload ? "\n\t" : "\n";
        for (std::size_t length = random() % (random() % 8 == 0 ? 200 : 20); length > 0; --length) {
            text += letters[2 + random() % (letters.size() - 2)];
        }
    }
    return text;
}

} // namespace

TEST_CASE("payload lines counted in blocks end where the first other line begins") {
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
        const std::string text = randomLines(random, random() % 700);
        const PayloadLines expected = oneByOne(text);
        const PayloadLines found = countPayloadLines(text);
        CHECK(found.bytes <= expected.bytes);
        CHECK(found.lines == oneByOne(text.substr(0, found.bytes)).lines);
        const PayloadLines rest = oneByOne(std::string_view(text).substr(found.bytes));
        CHECK(found.lines + rest.lines == expected.lines);
        CHECK(found.bytes + rest.bytes == expected.bytes);
        CHECK((rest.lines == 0 || text.find('\n', found.bytes) + 257 >= text.size()));
        const auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
        CHECK((!found.ascii || std::ranges::all_of(text.substr(0, found.bytes), isAscii)));
    }
}

TEST_CASE("no payload lines are counted where none are") {
    CHECK(countPayloadLines("").lines == 0);
    CHECK(countPayloadLines("V1121 00:13:53").bytes == 0);
    CHECK(countPayloadLines(std::string(1000, '\n')).lines == 0);
    CHECK(countPayloadLines(std::string(1000, '\t')).lines == 0);
}
