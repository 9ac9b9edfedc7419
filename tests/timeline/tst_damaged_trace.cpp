// Traces that are malformed, cut off or hostile: what is whole is read, and the place of the rest is named.
#include "trace_text.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::timeline;
using namespace aotscope::test;

namespace {

std::string eventText(std::string_view name, int start) {
    return R"({"ph": "X", "cat": "cpu_op", "name": ")" + std::string(name) +
           R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(start) +
           R"(, "dur": 1, "args": {"External id": 1}})";
}

std::string traceOf(const std::string& events) {
    return R"({"traceEvents": [)" + events + "]}";
}

} // namespace

TEST_CASE("the list alone is a trace, also without its end") {
    CHECK(readGood("[" + eventText("a", 1) + "," + eventText("b", 2) + "]")->eventCount() == 2);
    const TimelinePtr open = readGood("[" + eventText("a", 1) + ",\n" + eventText("b", 2) + ",\n");
    CHECK(open->eventCount() == 2);
    CHECK(open->problemCount() == 1);
}

TEST_CASE("raw control characters in names") {
    const TimelinePtr timeline = readGood(traceOf(eventText("a\x01\tb", 1) + "," + eventText("c", 2)));
    CHECK(timeline->problems().empty());
    CHECK(timeline->name({0, 0}) == "a\x01\tb");
}

TEST_CASE("a malformed event loses only itself, and its place is told") {
    const std::string good = eventText("good", 1);
    for (const std::string_view broken :
         {R"({"ph": "X", "name": "a "quoted" name", "pid": 1, "tid": 2, "ts": 3, "dur": 1})", R"({"ph" "X"})",
          R"({"ph": "X", "name": })", R"(nonsense)", R"({ 17 })"}) {
        CAPTURE(broken);
        const std::string text = traceOf(good + "," + std::string(broken) + "," + eventText("after", 9));
        const TimelinePtr timeline = readGood(text);
        (void)eventOf(*timeline, "good");
        (void)eventOf(*timeline, "after");
        REQUIRE(!timeline->problems().empty());
        CHECK(timeline->problems()[0].offset == text.find(broken));
        CHECK(timeline->problems()[0].message.find("malformed") != std::string::npos);
    }
}

TEST_CASE("every prefix of a trace is read up to where it ends") {
    const std::string whole = traceOf(eventText("a", 1) + "," + eventText("b", 2) + "," + eventText("c", 3));
    const std::size_t listBegin = whole.find('[') + 1;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const auto read = readText(std::string_view(whole).substr(0, size));
        REQUIRE(read.ok() == (size >= listBegin));
        if (!read.ok()) {
            CHECK(read.error().code == "timeline.not_a_trace");
            CHECK(!read.error().place.file.empty());
            continue;
        }
        std::size_t ended = 0;
        for (const std::string_view name : {"a", "b", "c"}) {
            const std::string event = eventText(name, name == "a" ? 1 : name == "b" ? 2 : 3);
            ended += whole.find(event) + event.size() <= size ? 1 : 0;
        }
        CHECK((*read)->eventCount() == ended);
        CHECK((*read)->problemCount() >= 1);
    }
}

TEST_CASE("what is no trace is refused") {
    for (const std::string_view text :
         {"", "   ", "hello", "17", R"({"a": 1})", R"({"traceEvents": 5})", "{\"traceEv"}) {
        CAPTURE(text);
        const auto read = readText(text);
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == "timeline.not_a_trace");
        CHECK(!read.error().hint.empty());
    }
}

TEST_CASE("recognized by its beginning") {
    CHECK(isChromeTrace(R"( { "schemaVersion": 1, "traceEvents": [)"));
    CHECK(isChromeTrace("[" + eventText("a", 1)));
    CHECK_FALSE(isChromeTrace(R"({"nodes": []})"));
    CHECK_FALSE(isChromeTrace("class GraphModule"));
    CHECK_FALSE(isChromeTrace(""));
}

TEST_CASE("ranges that begin and end apart") {
    const auto phase = [](std::string_view letter, std::string_view name, int time) {
        return R"({"ph": ")" + std::string(letter) + R"(", "name": ")" + std::string(name) +
               R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(time) + "}";
    };
    const TimelinePtr timeline = readGood(
        traceOf(phase("B", "outer", 1) + "," + phase("B", "inner", 2) + "," + phase("E", "inner", 3) + "," +
                phase("E", "outer", 5) + "," + phase("E", "stray", 6) + "," + phase("B", "open", 7) + "," +
                phase("X", "last", 9) + "," + phase("O", "object", 9)));
    CHECK(timeline->duration(eventOf(*timeline, "outer")) == 4'000);
    CHECK(timeline->duration(eventOf(*timeline, "inner")) == 1'000);
    CHECK(timeline->duration(eventOf(*timeline, "open")) == 2'000);
    CHECK(timeline->problems().size() == 2);
    CHECK(timeline->parts().leftOut ==
          std::vector<std::pair<std::string, std::uint64_t>>{{"event of phase O", 1}});
}

TEST_CASE("asynchronous ranges overlap in lanes") {
    const auto phase = [](std::string_view letter, int id, int time) {
        return R"({"ph": ")" + std::string(letter) + R"(", "cat": "load", "name": "read", "id": )" +
               std::to_string(id) + R"(, "pid": 1, "tid": 2, "ts": )" + std::to_string(time) + "}";
    };
    const TimelinePtr timeline = readGood(
        traceOf(phase("b", 1, 1) + "," + phase("b", 2, 2) + "," + phase("e", 1, 5) + "," + phase("e", 2, 8)));
    REQUIRE(timeline->rows().size() == 1);
    CHECK(timeline->rows()[0]->laneCount() == 2);
    CHECK(timeline->rows()[0]->duration(0) == 4'000);
    CHECK(timeline->rows()[0]->duration(1) == 6'000);
}

TEST_CASE("hostile sizes stay bounded") {
    // Deep nesting in arguments needs no stack.
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const TimelinePtr nested = readGood(
        traceOf(R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "args": {"x": )" + deep + "}}"));
    CHECK(nested->eventCount() == 1);
    CHECK(nested->arguments({0, 0}).size() == 1);
    // Objects without an end are not looked through again and again.
    std::string unclosed = R"({"traceEvents": [)";
    for (int i = 0; i < 50'000; ++i) {
        unclosed += R"({"ph":"X","args":{)";
    }
    CHECK(readGood(unclosed)->eventCount() == 0);
    // More rows than a window could show are put together.
    std::string rows = "[";
    for (int i = 0; i < 60'000; ++i) {
        rows += R"({"ph":"X","name":"a","pid":1,"tid":)" + std::to_string(i) + R"(,"ts":1},)";
    }
    const TimelinePtr many = readGood(rows);
    CHECK(many->rows().size() == 50'000);
    CHECK(many->eventCount() == 60'000);
    CHECK(!many->parts().leftOut.empty());
}

TEST_CASE("absurd numbers do not overflow") {
    const TimelinePtr timeline = readGood(
        traceOf(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1e300,"dur":1e300},)"
                R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":-1e300,"dur":-5},)"
                R"({"ph":"X","name":"c","pid":1,"tid":1,"ts":"abc","dur":null},)"
                R"({"ph":"C","name":"d","pid":1,"tid":1,"ts":1,"args":{"value":1e999,"x":"text"}})"));
    CHECK(timeline->eventCount() == 3);
    CHECK(timeline->duration(eventOf(*timeline, "b")) == 0);
    CHECK(timeline->begin() <= timeline->end());
}
