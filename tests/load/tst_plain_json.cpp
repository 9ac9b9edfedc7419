#include "load/plain_json.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

using aotscope::load::PlainJson;

namespace {

bool isSkipped(std::string_view json) {
    PlainJson cursor(json);
    return cursor.skipValue() && cursor.atEnd();
}

} // namespace

TEST_CASE("values as Python writes them are stepped over") {
    const std::string longText(200, 'x');
    for (const std::string& json : std::vector<std::string>{
             "{}", "[]", "null", "true", "false", "-1", "0", "12.50", "\"\"",
             "{\"a\": [1, {\"b\": null}], \"c\": \"d\"}", R"("a quote \" a backslash \\ and \/\b\f\n\r\t")",
             '"' + longText + R"(\"\\)" + longText + '"',
             '"' + longText.substr(0, 63) + R"(\")" + longText + '"',
             '"' + longText.substr(0, 62) + R"(\\)" + '"',
             '"' + longText.substr(0, 63) + R"(\\\\\\)" + longText + '"'}) {
        CAPTURE(json);
        CHECK(isSkipped(json));
        CHECK(isSkipped("{\"k\": " + json + "}"));
    }
}

TEST_CASE("what is wrong or rare is left to the library") {
    const std::string longText(100, 'x');
    const std::string deep(100, '[');
    for (const std::string& json :
         std::vector<std::string>{std::string(),
                                  "tru",
                                  "nope",
                                  "-",
                                  "01",
                                  "1.",
                                  ".5",
                                  "1e5",
                                  "1234567890123456789",
                                  "NaN",
                                  "-Infinity",
                                  "[1,2]",
                                  "[1, ]",
                                  "[1 2]",
                                  "{\"a\" 1}",
                                  "{\"a\": 1, }",
                                  "{a: 1}",
                                  "\"a",
                                  "\"a\\",
                                  "\"\\u0041\"",
                                  "\"\\x\"",
                                  "\"\xc3\xa4\"",
                                  "\"\t\"",
                                  '"' + longText + "\\x" + longText + '"',
                                  '"' + longText + "\n" + longText + '"',
                                  '"' + longText + "\\\"",
                                  deep,
                                  '"' + longText.substr(0, 63) + "\\x" + longText + '"'}) {
        CAPTURE(json);
        CHECK_FALSE(isSkipped(json));
    }
}

TEST_CASE("nothing is stepped over that is no JSON") {
    std::string settings = "{\\n";
    for (int i = 0; i < 30; ++i) {
        settings += "\\\"name" + std::to_string(i) + "\\\": \\\"a\\\\\\\\b\\\", ";
    }
    const std::string whole = "{\"config\": \"" + settings +
                              "\", \"number\": -12.25, \"flags\": [true, false, null, {}], \"last\": []}";
    REQUIRE(isSkipped(whole));
    REQUIRE(nlohmann::json::accept(whole));
    constexpr std::string_view letters = "\"\\{}[],: ntu0123-.e\x01\x80x";
    std::mt19937 random(7);
    std::size_t taken = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text = whole;
        for (std::uint32_t change = 0; change <= random() % 3; ++change) {
            text[random() % text.size()] = letters[random() % letters.size()];
        }
        if (isSkipped(text)) {
            ++taken;
            CAPTURE(text);
            REQUIRE(nlohmann::json::accept(text));
        }
    }
    CHECK(taken > 0);
}
