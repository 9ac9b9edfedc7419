// Malformed inputs that ask for more memory or depth than there is.
#include "load/trace_log.h"

#include "malformed_log.h"

#include <doctest/doctest.h>

#include <sys/resource.h>

using namespace aotscope::load;
using aotscope::test::compileNamed;
using aotscope::test::header;
using aotscope::test::joint;
using aotscope::test::payloadState;
using aotscope::test::problemList;
using aotscope::test::readAround;
using aotscope::test::readLog;
using aotscope::test::record;
using aotscope::test::recordAt;

namespace {

/// Peak memory of the process so far.
long mostKilobytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

TEST_CASE("a string table index out of all bounds costs no memory") {
    for (const std::string index : {"50000000", "4294967295", "-7", "9223372036854775807"}) {
        CAPTURE(index);
        const long before = mostKilobytes();
        const auto log = readAround(header("{\"str\": [\"a\", " + index + "]}"));
        CHECK(problemList(*log) == "4 load.string_index\n");
        constexpr long fewKilobytes = 16'384;
        CHECK(mostKilobytes() - before < fewKilobytes);
    }
    // Strings with an index that is one are found as before.
    const auto log = readAround(
        header(R"({"str": ["a", 4294967295]})") + header(R"({"str": ["model.py", 0]})") +
        record(R"("dynamo_start": {"stack": [{"line": 1, "name": "f", "filename": 0, "loc": null}]})"));
    const auto stack = log->stack(recordAt(3));
    REQUIRE(stack.size() == 1);
    CHECK(stack[0].file == "model.py");
}

TEST_CASE("JSON nested without end is one problem") {
    for (const char* const bracket : {"[", "{\"a\": "}) {
        std::string deep;
        for (int i = 0; i < 100'000; ++i) {
            deep += bracket;
        }
        const auto log = readAround(header("{\"x\": " + deep));
        CHECK(problemList(*log) == "4 load.header_json\n");
        CHECK(log->stack(recordAt(1)).empty());
    }
}

TEST_CASE("gigantic lines are indexed") {
    constexpr std::size_t size = 20U << 20U;
    SUBCASE("of a payload") {
        const std::string payload(size, 'x');
        const auto log = readAround(record("\"aot_backward_graph\": {}", payload));
        CHECK(problemList(*log).empty());
        CHECK(log->payload(recordAt(1)).size() == size);
        CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
    }
    SUBCASE("of an envelope that is written plainly") {
        const auto log = readAround(record("\"x\": \"" + std::string(size, 'x') + "\""));
        CHECK(problemList(*log).empty());
        CHECK(log->kindName(recordAt(1)) == "x");
    }
    SUBCASE("of an envelope that takes a document: the ids are still read") {
        const auto log = readAround(record("\"x\": \"\\u0041" + std::string(size, 'x') + "\""));
        CHECK(problemList(*log) == "4 load.line_too_long\n");
        CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
        CHECK(log->kindName(recordAt(1)) == "x");
    }
    SUBCASE("of noise, without a line feed") {
        const auto log = readLog(record(joint, "j") + std::string(size, 'x'));
        CHECK(problemList(*log) == "3 load.noise_line\n");
        CHECK(log->payload(recordAt(0)) == "j");
    }
}

TEST_CASE("many names and many problems are bounded") {
    std::string text;
    for (int i = 0; i < 70'000; ++i) {
        text += header("{\"e" + std::to_string(i) + "\": {}}");
    }
    for (int i = 0; i < 30'000; ++i) {
        text += "noise\n";
    }
    const auto log = readLog(text);
    CHECK(log->recordCount() == 70'000);
    CHECK(log->kindName(recordAt(0)) == "e0");
    CHECK(log->kindName(recordAt(69'999)) == "e69999");
    CHECK(log->totals().problems == 30'000);
    CHECK(log->problems().size() == 20'000);
}
