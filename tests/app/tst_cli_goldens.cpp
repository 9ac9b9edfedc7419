// Every golden program of the corpus through the command line, graphs and metadata.
#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <set>

using namespace aotscope;
using Json = nlohmann::json;

TEST_CASE("golden programs trace to PyTorch's graphs and metadata from the file alone") {
    if (test::corpusMissing()) {
        return;
    }
    std::vector<std::string> arguments = {"retrace", "--json"};
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json") || name.ends_with(".json.xz")) {
            arguments.push_back(entry.path().string());
        }
    }
    const Json told = test::json(test::cli(std::move(arguments)));
    REQUIRE(told.is_object());
    std::set<std::string> differ;
    for (const Json& compile : told["compiles"]) {
        if (compile["verdict"] == "differs" || compile["metadata_equal"] == false) {
            differ.insert(compile["graph"].get<std::string>());
        }
    }
    CHECK(differ == std::set<std::string>());
    CHECK(told["equal"].get<int>() >= 64);
}
