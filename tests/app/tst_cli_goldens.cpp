// Every golden program of the corpus through the command line, graphs and metadata.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <set>

using namespace aotscope;
using Json = nlohmann::json;

TEST_CASE("golden programs trace to PyTorch's text and metadata from the file alone" * test::needsCorpus()) {
    std::vector<std::string> arguments = {"retrace", "--exact", "--json"};
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
    // Golden files do not say which inputs lie in one memory, but in the answer itself.
    for (const std::string& graph : differ) {
        CHECK(test::contains(graph, "synthetic_base_views"));
    }
    CHECK(told["equal"].get<int>() >= 63);
}

TEST_CASE("recorded calls of further golden programs agree, rounding alone included") {
    // Made by tests/golden/make_recorded_calls.py.
    std::vector<std::string> arguments = {"retrace", "--numbers", "--json"};
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(AOTSCOPE_TEST_DIR) /
                                                                 "golden" / "recorded_calls")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json.xz")) {
            arguments.push_back(entry.path().string());
        }
    }
    const Json told = test::json(test::cli(std::move(arguments)));
    REQUIRE(told["compiles"].size() == 3);
    std::size_t agree = 0;
    std::size_t cancelled = 0;
    for (const Json& compile : told["compiles"]) {
        CAPTURE(compile["graph"].get<std::string>());
        CHECK(compile["verdict"] == "equal");
        for (const Json& call : compile["numbers"]) {
            // A constant's data is in no file.
            const bool isSkipped =
                call.contains("skipped") && test::contains(call["skipped"], "_tensor_constant0");
            CHECK((isSkipped || call["agrees"] == true));
            agree += isSkipped ? 0 : 1;
            cancelled += isSkipped ? 0 : call["cancelled"].get<std::size_t>();
        }
    }
    CHECK(agree == 13);
    CHECK(cancelled > 0);
}

TEST_CASE("programs with saved-tensors hooks give the numbers PyTorch's compiled halves gave" *
          test::needsCorpus()) {
    std::vector<std::string> arguments = {"retrace", "--numbers", "--json"};
    for (const char* name : {"hooks_fp8_mlp", "hooks_fp8_scale_all", "hooks_sym_dynamic"}) {
        arguments.push_back((test::corpusDir() / "golden" / (std::string(name) + ".json")).string());
    }
    const Json told = test::json(test::cli(std::move(arguments)));
    REQUIRE(told["compiles"].size() == 3);
    for (const Json& compile : told["compiles"]) {
        CAPTURE(compile["graph"].get<std::string>());
        // Both halves of both partitioners, and the program as eager runs it.
        CHECK(compile["numbers"].size() == 5);
        for (const Json& call : compile["numbers"]) {
            CAPTURE(call.dump());
            CHECK(call.value("agrees", false));
        }
    }
}
