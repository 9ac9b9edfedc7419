#include "base/base64.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;

TEST_CASE("bytes are written and read as RFC 4648 says") {
    // The test vectors of its section 10, and bytes that need the last two digits.
    const struct {
        std::string bytes;
        std::string text;
    } cases[] = {{"", ""},
                 {"f", "Zg=="},
                 {"fo", "Zm8="},
                 {"foo", "Zm9v"},
                 {"foob", "Zm9vYg=="},
                 {"fooba", "Zm9vYmE="},
                 {"foobar", "Zm9vYmFy"},
                 {"\xFB\xFF\xBF", "+/+/"},
                 {std::string(1, '\0'), "AA=="}};
    for (const auto& [bytes, text] : cases) {
        CAPTURE(text);
        CHECK(base::toBase64(bytes) == text);
        CHECK(base::fromBase64(text) == bytes);
    }
}

TEST_CASE("a text that is cut off, has other characters or bits beyond its last byte is not read") {
    for (const char* text :
         {"Zg=", "Zg", "Z", "Z===", "====", "Zm 9", "Zg==Zg==", "Zm9v\n", "Zh==", "-_-_"}) {
        CAPTURE(text);
        CHECK_FALSE(base::fromBase64(text));
    }
}
