#include "base/xml_text.h"

#include <doctest/doctest.h>

#include <string>

using aotscope::base::cleanText;
using aotscope::base::xmlText;

TEST_CASE("what means something in XML is written as what it is") {
    CHECK(xmlText(R"(a < b && "c" > 'd')") == "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
    CHECK(xmlText("") == "");
}

TEST_CASE("what XML forbids and what is no UTF-8 becomes a question mark") {
    CHECK(xmlText(std::string("a\0b\tc\x7f", 6)) == "a?b?c?");
    CHECK(cleanText("\xc3\xa4 \xe2\x86\xba \xf0\x9f\x98\x80") == "\xc3\xa4 \xe2\x86\xba \xf0\x9f\x98\x80");
    // Cut in the middle, too long for what it says, a surrogate, a continuation alone.
    CHECK(cleanText("x\xc3") == "x?");
    CHECK(cleanText("\xc0\xaf") == "??");
    CHECK(cleanText("\xed\xa0\x80") == "???");
    CHECK(cleanText("\x80y") == "?y");
}
