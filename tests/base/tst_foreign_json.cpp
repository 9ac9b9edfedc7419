// Records of other programs by the members of a struct, and JSON of bounded nesting.
#include "base/bounded_json.h"
#include "base/foreign_json.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace aotscope;

namespace {

struct Part {
    std::string name = "unnamed";
    std::optional<std::size_t> index;
};
AOTSCOPE_MEMBERS(Part, name, index)

struct Record {
    bool gradMode = true;
    std::int64_t count = -1;
    double seconds = 0.5;
    std::vector<bool> flags;
    std::optional<std::vector<std::optional<std::size_t>>> places;
    Part part;
    std::vector<std::optional<Part>> parts;
    nlohmann::json anything;
};
AOTSCOPE_MEMBERS(Record, gradMode, count, seconds, flags, places, part, parts, anything)

} // namespace

TEST_CASE("members of a foreign record are read by name, and what is not known is skipped") {
    const auto record = base::foreignFrom<Record>(
        R"({"grad_mode": false, "count": 3, "seconds": 2, "flags": [true, false], "places": [1, 2],
            "part": {"name": "a", "index": 4}, "parts": [{"name": "b"}], "anything": [1], "brand_new": 5})");
    CHECK_FALSE(record.gradMode);
    CHECK(record.count == 3);
    CHECK(record.seconds == 2);
    CHECK(record.flags == std::vector<bool>{true, false});
    REQUIRE(record.places);
    CHECK(record.places->size() == 2);
    CHECK(record.part.name == "a");
    CHECK(record.part.index == 4U);
    REQUIRE(record.parts.size() == 1);
    CHECK(record.parts[0]->name == "b");
    CHECK_FALSE(record.parts[0]->index);
    CHECK(record.anything == nlohmann::json{1});
}

TEST_CASE("a member that is missing or of another type keeps its value") {
    for (const char* text :
         {"{}", "[]", "{", "", R"({"grad_mode": 0, "count": "3", "seconds": "1", "part": [], "places": {}})",
          R"({"count": 18446744073709551615})", R"({"count": 1.5})", R"({"part": {"index": -1}})"}) {
        CAPTURE(text);
        const auto record = base::foreignFrom<Record>(text);
        CHECK(record.gradMode);
        CHECK(record.count == -1);
        CHECK(record.seconds == 0.5);
        CHECK(record.part.name == "unnamed");
        CHECK_FALSE(record.part.index);
        CHECK_FALSE(record.places);
    }
    // Items keep their places.
    const auto record = base::foreignFrom<Record>(R"({"places": [1, "x", 3], "parts": [7, {}]})");
    REQUIRE(record.places);
    CHECK(*record.places == std::vector<std::optional<std::size_t>>{1, std::nullopt, 3});
    REQUIRE(record.parts.size() == 2);
    CHECK_FALSE(record.parts[0]);
    CHECK(record.parts[1]->name == "unnamed");
}

TEST_CASE("JSON is read up to a depth") {
    nlohmann::json value;
    CHECK(base::parseBounded<3>(R"({"a": [[1]]})", value));
    CHECK(value["a"][0][0] == 1);
    CHECK_FALSE(base::parseBounded<2>(R"({"a": [[1]]})", value));
    // Values side by side are not nested.
    CHECK(base::parseBounded<2>("[[], [], {}, [1]]", value));
    CHECK_FALSE(base::parseBounded<300>(std::string(1'000'000, '['), value));
    CHECK_THROWS_AS(static_cast<void>(base::parseBounded<2>("[1,", value)), nlohmann::json::parse_error);
}
