// Names of artifacts, in lists made by hand and in logs.
#include "load/artifact_list.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace aotscope::load;

namespace {

ArtifactList listOf(std::initializer_list<std::pair<const char*, bool>> names) {
    std::vector<Artifact> artifacts;
    for (const auto& [name, isGraph] : names) {
        Artifact artifact;
        artifact.name = name;
        artifact.isGraph = isGraph;
        artifacts.push_back(std::move(artifact));
    }
    return ArtifactList(std::move(artifacts));
}

} // namespace

TEST_CASE("a graph's bare name means the last one, another artifact's the first") {
    const ArtifactList list =
        listOf({{"joint", true}, {"code", false}, {"joint", true}, {"code", false}, {"joint", true}});
    CHECK(list.tryPlace("joint") == 4);
    CHECK(list.tryPlace("joint#1") == 0);
    CHECK(list.tryPlace("joint#2") == 2);
    CHECK(list.tryPlace("joint#3") == 4);
    CHECK(list.tryPlace("code") == 1);
    CHECK(list.tryPlace("code#2") == 3);
    for (const char* absent : {"joint#0", "joint#4", "joint#", "joint#x", "joint#1x", "#1", "", "forward",
                               "joint#99999999999999999999"}) {
        CAPTURE(absent);
        CHECK(!list.tryPlace(absent));
    }
    CHECK(list.graphs().size() == 3);
    CHECK(list.placesOf("joint").size() == 3);
}

TEST_CASE("every artifact has a name that means it alone") {
    // The last three are logged under names that look numbered.
    const ArtifactList list = listOf({{"a", true},
                                      {"a", true},
                                      {"b", false},
                                      {"a", true},
                                      {"a", true},
                                      {"a#2", true},
                                      {"a#4", false},
                                      {"a#2", true}});
    for (std::size_t place = 0; place < list.size(); ++place) {
        CAPTURE(list[place].name);
        CHECK(list.tryPlace(list.exactName(place)) == place);
        for (std::size_t other = 0; other < place; ++other) {
            CHECK(list[place].name != list[other].name);
        }
    }
    CHECK(list.exactName(0) == "a#1");
    CHECK(list.exactName(2) == "b");
}
