#include "base/formatted.h"
#include "base/hex.h"
#include "base/joined.h"
#include "base/json_text.h"
#include "base/mapped.h"
#include "base/numbers.h"
#include "base/trimmed.h"
#include "base/utf8.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <string>
#include <vector>

using namespace aotscope::base;

TEST_CASE("a number is the whole text, or what it begins with, and must fit") {
    CHECK(wholeNumber<int>("12") == 12);
    CHECK(wholeNumber<int>("-12") == -12);
    CHECK(wholeNumber<double>("1.5e3") == 1500);
    for (const char* text : {"", " 12", "+12", "12 ", "12x", "0x12", "2147483648"}) {
        CAPTURE(text);
        CHECK(!wholeNumber<int>(text));
    }
    CHECK(!wholeNumber<std::size_t>("-1"));
    CHECK(!wholeNumber<double>("1e999"));
    std::string_view text = "12, 13";
    CHECK(takeNumber<int>(text) == 12);
    CHECK(text == ", 13");
    CHECK(!takeNumber<int>(text));
    CHECK(text == ", 13");
    CHECK(leadingNumber<int>("12, 13") == 12);
}

TEST_CASE("blanks are taken off both ends") {
    CHECK(trimmed(" \t a b\r\n") == "a b");
    CHECK(trimmed(" \n").empty());
    CHECK(trimmed("--a-b-", "-") == "a-b");
}

TEST_CASE("lists are joined in their order, and empty members keep their place") {
    CHECK(joined(std::vector<std::string>()).empty());
    CHECK(joined({"a", "", "b"}) == "a, , b");
    CHECK(joined(std::list<std::string_view>{"", "a"}, "; ") == "; a");
    CHECK(joined(std::vector<std::int64_t>{-1, 20}) == "-1, 20");
    const std::map<std::string, int> ages{{"a", 3}, {"b", 4}};
    CHECK(joined(ages, "/", [](const auto& each) { return each.second + 1; }) == "4/5");
}

TEST_CASE("each member of a list is mapped, in the list's order") {
    const std::vector<std::string> words{"one", "three", ""};
    CHECK(mapped(words, &std::string::size) == std::vector<std::size_t>{3, 5, 0});
    CHECK(mapped<std::list<bool>>(words, &std::string::empty) == std::list<bool>{false, false, true});
}

TEST_CASE("hexadecimal digits") {
    std::string out;
    appendHex(out, 0xabU, 4);
    appendHex(out, std::numeric_limits<std::uint32_t>::max(), 8);
    CHECK(out == "00abffffffff");
    CHECK(hexNumber("00aB") == 0xabU);
    for (const char* text : {"", "0x1", "-1", "g", "123456789"}) {
        CAPTURE(text);
        CHECK(!hexNumber(text));
    }
}

TEST_CASE("characters are those of RFC 3629") {
    for (const std::uint32_t code : {0x7fU, 0x80U, 0x7ffU, 0x800U, 0xffffU, 0x10000U, 0x10ffffU}) {
        std::string text;
        appendUtf8(text, code);
        CAPTURE(text);
        CHECK(std::uint32_t(firstCharacter(text + "z").code) == code);
        CHECK(firstCharacter(text + "z").bytes == text.size());
        // Cut off.
        CHECK((text.size() == 1 || firstCharacter(text.substr(0, text.size() - 1)).bytes == 0));
    }
    // Overlong, a continuation alone, past the last character, half a surrogate pair.
    for (const char* text :
         {"\xc0\xaf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\x80", "\xf4\x90\x80\x80", "\xed\xa0\x80"}) {
        CHECK(firstCharacter(text).bytes == 0);
    }
    CHECK(std::uint32_t(firstCharacter("\xed\xa0\x80", Surrogates::Taken).code) == 0xd800);
}

TEST_CASE("a JSON string ends at the first quote that is not escaped") {
    CHECK(endOfJsonString(R"("a\"b\\" , "c")", 1) == 8);
    CHECK(endOfJsonString(R"("a\")", 1) == 4);
    std::string out;
    appendJsonString(out, std::string("a\"\\\n\t\x01\xff\xc3\xa4", 9));
    CHECK(out == "\"a\\\"\\\\\\n\\t\\u0001\\ufffd\xc3\xa4\"");
}

TEST_CASE("numbers, Python's words and strings are rewritten, and nothing else") {
    std::string out;
    rewriteJson(R"({"NaN 1": [NaN, -Infinity, -1.5e+3, 12, true, nul], "open)", out,
                [](std::string_view text) { return "<" + std::string(text) + ">"; },
                [](std::string_view text) { return "(" + std::string(text) + ")"; });
    CHECK(out == R"({<"NaN 1">: [(NaN), (-Infinity), (-1.5e+3), (12), true, nul], <"open>)");
}

TEST_CASE("text of any length is formatted") {
    CHECK(formatted("%.1f %%", 12.34) == "12.3 %");
    CHECK(formatted("%s!", std::string(500, 'x').c_str()) == std::string(500, 'x') + "!");
}
