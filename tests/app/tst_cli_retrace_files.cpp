#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::contains;
using Json = nlohmann::json;

TEST_CASE("a log that was written traces again in the same state, with the same guards" *
          test::needsCorpus()) {
    const test::TempFolder folder;
    const std::string written = (folder.path() / "made.log").string();
    for (const char* name : {"dyn_transformer_seq", "amp_autocast", "mut_input_inference", "mlp_inference"}) {
        INFO(name);
        const std::string log = test::corpusLog(name);
        const Json first = test::json(cli({"retrace", log, "--log", written, "--json"}));
        const Json second = test::json(cli({"retrace", written, "--json"}));
        CHECK(second["equal"] == first["equal"]);
        CHECK(second["grad_mode_assumed"] == first["grad_mode_assumed"]);
        REQUIRE(second["compiles"].size() == first["compiles"].size());
        for (std::size_t i = 0; i < first["compiles"].size(); ++i) {
            CHECK(second["compiles"][i]["guards"] == first["compiles"][i]["guards"]);
            CHECK(second["compiles"][i]["metadata_equal"] == true);
        }
    }
}

TEST_CASE("graphs and metadata are written below --out, a log where --log says" * test::needsCorpus()) {
    test::TempFolder folder;
    // One compile of it is equal and quick to trace.
    const std::string log = test::corpusLog("set_storage_resize");
    const std::string made = (folder.path() / "made.log").string();
    CHECK(cli({"retrace", log, "--id", "0/0_1", "--out", (folder.path() / "out").string(), "--log", made})
              .code == 0);
    const auto files = test::filesBelow(folder.path() / "out");
    REQUIRE(files.size() == 4);
    CHECK(Json::parse(files.at("0_0_1/compiled_function.json"))["path"] == "inference");
    CHECK(Json::parse(files.at("0_0_1/inference.json"))["nodes"].size() == 3);
    CHECK(contains(files.at("0_0_1/inference.txt"), "def forward"));
    CHECK(Json::parse(files.at("0_0_1/metadata.json"))["_class"] == "ViewAndMutationMeta");

    const auto problems = cli({"problems", "--verify", made});
    CHECK(problems.code == 0);
    const auto same = cli({"diff", made + ":0/0_1:inference", log + ":0/0_1:inference"});
    INFO(same.err);
    CHECK(same.code == 0);
    CHECK(cli({"retrace", made}).code == 0);
}

TEST_CASE("the stages' graphs are written below --out, and told of" * test::needsCorpus()) {
    test::TempFolder out;
    const std::string log = test::corpusLog("mlp_sgd");
    const auto run = cli({"retrace", log, "--id", "0/0", "--stages", "--out", out.path().string()});
    CHECK(run.code == 0);
    const std::filesystem::path folder = out.path() / "0_0";
    const char* stages[] = {"dynamo", "resolved", "functional", "decomposed", "joint", "forward"};
    for (int i = 0; i < 6; ++i) {
        const std::string name = "stage_" + std::to_string(i + 1) + "_" + stages[i];
        CHECK_MESSAGE(contains(run.out, stages[i]), stages[i]);
        CHECK_MESSAGE(std::filesystem::file_size(folder / (name + ".json")) > 0, name);
        CHECK_MESSAGE(std::filesystem::file_size(folder / (name + ".txt")) > 0, name);
    }
    // Two stages are graphs that are written anyhow.
    CHECK(test::readFile(folder / "stage_5_joint.txt") == test::readFile(folder / "joint.txt"));
    CHECK(test::readFile(folder / "stage_6_forward.txt") == test::readFile(folder / "forward.txt"));
}
