// Rows in lanes, and what is found in them by time.
#include "timeline/event_text.h"
#include "timeline/timeline_builder.h"

#include <doctest/doctest.h>

using namespace aotscope::timeline;

namespace {

/// A row with these events (start, duration), in any order.
TimelinePtr rowOf(const std::vector<std::pair<std::int64_t, std::int64_t>>& events) {
    TimelineBuilder builder;
    const std::uint32_t row = builder.row("1", "1");
    for (const auto& [start, duration] : events) {
        NewEvent event;
        event.start = start;
        event.duration = duration;
        event.name = builder.name(std::to_string(start) + "+" + std::to_string(duration));
        event.place = noPlace;
        event.sequenceNumber = start;
        builder.add(row, event);
    }
    return builder.finish();
}

std::string nameAt(const Timeline& timeline, std::size_t lane, std::int64_t time) {
    const auto event = timeline.rows()[0]->at(lane, time);
    return event ? timeline.name({0, *event}) : "";
}

} // namespace

TEST_CASE("nested events lie in lanes and are found by time") {
    const TimelinePtr timeline = rowOf({{40, 20}, {10, 5}, {0, 100}, {42, 3}, {200, 1}});
    const Row& row = *timeline->rows()[0];
    CHECK(row.laneCount() == 3);
    CHECK(timeline->begin() == 0);
    CHECK(timeline->end() == 201);
    CHECK(nameAt(*timeline, 0, 50) == "0+100");
    CHECK(nameAt(*timeline, 1, 14) == "10+5");
    CHECK(nameAt(*timeline, 1, 15).empty());
    CHECK(nameAt(*timeline, 2, 44) == "42+3");
    CHECK(nameAt(*timeline, 0, 100).empty());
    const std::uint32_t inner = *row.at(2, 42);
    const auto parent = row.parent(inner);
    REQUIRE(parent);
    CHECK(timeline->name({0, *parent}) == "40+20");
    CHECK(row.sequenceNumber(inner) == 42);
    const auto [first, last] = row.children(*row.at(0, 1));
    CHECK(last - first == 2);
    CHECK(timeline->name({0, first}) == "10+5");
    const auto none = row.children(inner);
    CHECK(none.first == none.second);
}

TEST_CASE("an event that outlives the one around it gets a lane above it") {
    const TimelinePtr timeline = rowOf({{0, 10}, {5, 20}, {12, 2}});
    const Row& row = *timeline->rows()[0];
    CHECK(row.laneCount() == 3);
    for (std::size_t lane = 0; lane < row.laneCount(); ++lane) {
        for (std::uint32_t event = row.lanes[lane] + 1; event < row.lanes[lane + 1]; ++event) {
            CHECK(row.end(event - 1) <= row.start(event));
        }
    }
    CHECK(nameAt(*timeline, 1, 12) == "5+20");
    CHECK(nameAt(*timeline, 2, 12) == "12+2");
}

TEST_CASE("durations of any length are kept") {
    const std::int64_t day = 86'400'000'000'000;
    const TimelinePtr timeline = rowOf({{0, day}, {1, 4'294'967'294}, {4'300'000'000, 4'294'967'295}});
    const Row& row = *timeline->rows()[0];
    CHECK(row.duration(0) == day);
    CHECK(row.duration(1) == 4'294'967'294);
    CHECK(row.duration(2) == 4'294'967'295);
}

TEST_CASE("nesting is limited") {
    std::vector<std::pair<std::int64_t, std::int64_t>> events;
    for (std::int64_t depth = 0; depth < 1'500; ++depth) {
        events.emplace_back(depth, 10'000 - 2 * depth);
    }
    const TimelinePtr timeline = rowOf(events);
    CHECK(timeline->rows()[0]->laneCount() == 1'000);
    CHECK(timeline->eventCount() == 1'500);
    REQUIRE(timeline->problems().size() == 1);
    CHECK(timeline->problems()[0].message.find("1,000 deep") != std::string::npos);
}

TEST_CASE("numbers of microseconds become nanoseconds exactly") {
    CHECK(nanosecondsOf("4829638480831.078") == 4'829'638'480'831'078);
    CHECK(nanosecondsOf("0.001") == 1);
    CHECK(nanosecondsOf("1.9996") == 2'000);
    CHECK(nanosecondsOf("-3.5") == -3'500);
    CHECK(nanosecondsOf("7") == 7'000);
    CHECK(nanosecondsOf("\"12.25\"") == 12'250);
    CHECK(nanosecondsOf("1.5e3") == 1'500'000);
    CHECK(nanosecondsOf("99999999999999999999999") == 4'000'000'000'000'000'000);
    CHECK_FALSE(nanosecondsOf("").has_value());
    CHECK_FALSE(nanosecondsOf("-").has_value());
    CHECK_FALSE(nanosecondsOf("soon").has_value());
    CHECK(integerOf("7.9") == 7);
    CHECK(integerOf("\"12\"") == 12);
    CHECK_FALSE(integerOf("1e300").has_value());
    CHECK_FALSE(integerOf("nan").has_value());
}

TEST_CASE("escapes in strings") {
    CHECK(unescaped("a\\nb\\\"c\\\\") == "a\nb\"c\\");
    CHECK(unescaped("\\u00e4\\ud83d\\ude00") == "\u00e4\U0001F600");
    CHECK(unescaped("\\ud83d!") == "\uFFFD!");
    CHECK(unescaped("\\q\\u12") == "\\q\\u12");
    const auto members = membersOf(R"({"a": [1, {"b": "]"}], "c": "x\"y", "d": -1.5e3, "e": true})");
    REQUIRE(members.size() == 4);
    CHECK(members[0].value == R"([1, {"b": "]"}])");
    CHECK(members[1].value == "x\"y");
    CHECK(members[1].isText);
    CHECK(members[2].value == "-1.5e3");
    CHECK(members[3].value == "true");
}
