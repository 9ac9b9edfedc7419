// The command rerun: what it prints, keeps, compares and refuses.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

const char* const graphText = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[64, 64]", y: "f32[64]"):
        neg: "f32[64, 64]" = torch.ops.aten.neg.default(x)
        exp: "f32[64, 64]" = torch.ops.aten.exp.default(neg)
        add: "f32[64, 64]" = torch.ops.aten.add.Tensor(exp, y)
        view: "f32[4096]" = torch.ops.aten.view.default(add, [4096])
        return (view, neg)
)";

} // namespace

TEST_CASE("a node is rerun; people and programs read the same numbers") {
    const test::TempFolder folder;
    const std::string file = folder.write("graph.txt", graphText).string();
    const auto ran = cli({"rerun", file, "--node", "exp", "--repeat", "20"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "20 repetitions on cpu after 3, warm caches"));
    CHECK(contains(ran.out, "median"));
    CHECK(contains(ran.out, "p95"));
    CHECK(contains(ran.out, "█"));
    CHECK(contains(ran.out, "float32[64, 64]"));
    CHECK(contains(ran.out, "equal"));
    const auto json = test::json(cli({"rerun", file, "--node", "exp", "--node", "add", "--repeat", "5",
                                      "--warm-up", "0", "--cold", "--seed", "4", "--json"}));
    REQUIRE(json.is_object());
    CHECK(json["schema"] == "aotscope.rerun/3");
    const nlohmann::json& result = json["result"];
    CHECK(result["nodes"] == nlohmann::json({"exp", "add"}));
    CHECK(result["samples"].size() == 5);
    CHECK(json["settings"]["cold_cache"] == true);
    CHECK(json["settings"]["warm_up"] == 0);
    CHECK(result["seed"] == 4);
    CHECK(json["times"]["minimum"] <= json["times"]["median"]);
    CHECK(json["times"]["median"] <= json["times"]["p95"]);
    REQUIRE(result["outputs"].size() == 1);
    CHECK(result["outputs"][0]["node"] == "add");
    CHECK(result["outputs"][0]["from_run"]["max"] == 0);
    CHECK(result["inputs"].size() == 2);
    CHECK(result["output_data"].empty());
    for (const char* name : {"nan_count", "inf_count", "zero_count"}) {
        CHECK(result["outputs"][0]["summary"][name] == 0);
    }
}

TEST_CASE("a saved rerun is the baseline of the next") {
    const test::TempFolder folder;
    const std::string file = folder.write("graph.txt", graphText).string();
    const std::string saved = (folder.path() / "before.json").string();
    REQUIRE(cli({"rerun", file, "--node", "exp", "--repeat", "3", "--save", saved}).code == 0);
    const auto json = test::json(cli(
        {"rerun", file, "--node", "exp", "--repeat", "3", "--dtype", "bf16", "--baseline", saved, "--json"}));
    const nlohmann::json& output = json["result"]["outputs"][0];
    CHECK(output["summary"]["dtype"] == "bfloat16");
    const double error = output["from_baseline"]["relative"].get<double>();
    // A bfloat16 has 8 digits: its rounding is at most 2^-8 for the input's exponent of up to some units.
    CHECK(error > 1e-4);
    CHECK(error < 0.05);
    const auto text = cli({"rerun", file, "--node", "exp", "--repeat", "3", "--baseline", saved});
    CHECK(contains(text.out, "baseline before.json: min"));
    CHECK(text.code == 0);
}

TEST_CASE("what cannot be rerun is refused with its reason") {
    const test::TempFolder folder;
    const std::string file = folder.write("graph.txt", graphText).string();
    const auto ran = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"rerun", file});
        return cli(arguments);
    };
    CHECK(ran({}).code == 2);
    CHECK(ran({"--node", "tan"}).code == 2);
    CHECK(ran({"--node", "x"}).code == 2);
    CHECK(ran({"--node", "exp", "--dtype", "float99"}).code == 2);
    CHECK(ran({"--node", "exp", "--shape", "neg"}).code == 2);
    CHECK(ran({"--node", "exp", "--symbol", "s0"}).code == 2);
    const auto notConvex = ran({"--node", "neg", "--node", "add"});
    CHECK(notConvex.code == 2);
    CHECK(contains(notConvex.err, "neg → exp → add"));
    CHECK(cli({"rerun", "/nowhere", "--node", "exp"}).code == 3);
    CHECK(ran({"--node", "exp", "--baseline", "/nowhere"}).code == 3);
    CHECK(ran({"--node", "exp", "--baseline", file}).code == 3);
    CHECK(ran({"--node", "exp", "--dtype", "int64"}).code == 1);
}

TEST_CASE("a failed rerun leaves a reproducer, which replays it") {
    const test::TempFolder folder;
    const std::string file = folder.write("graph.txt", graphText).string();
    const auto ran = cli({"rerun", file, "--node", "view", "--shape", "add=3x3", "--repeat", "7"});
    CHECK(ran.code == 1);
    CHECK(contains(ran.err, "The node view (aten.view.default) failed"));
    const std::string words = "aotscope-cli replay ";
    const std::size_t at = ran.err.find(words);
    REQUIRE(at != std::string::npos);
    const std::size_t from = at + words.size();
    const std::string reproducer = ran.err.substr(from, ran.err.find('\n', from) - from);
    const auto again = cli({"replay", reproducer});
    CHECK(again.code == 1);
    CHECK(contains(again.err, "Replaying the rerun of "));
    CHECK(contains(again.err, "The node view (aten.view.default) failed"));
    // With sizes that fit it finishes.
    std::string text = test::readFile(reproducer);
    const std::size_t sizes = text.find("3,", text.find("\"sizes\""));
    REQUIRE(sizes != std::string::npos);
    const std::size_t last = text.find('3', sizes + 1);
    text.replace(last, 1, "4096");
    text.replace(sizes, 1, "1");
    const auto mended = cli({"replay", folder.write("mended.json", text).string(), "--json"});
    CHECK(mended.code == 0);
    CHECK(test::json(mended)["result"]["samples"].size() == 7);
}

TEST_CASE("nodes of logs and golden files" * test::needsCorpus()) {
    const auto ran = cli({"rerun", test::corpusLog("mlp_sgd"), "--id", "0/0", "--kind", "forward", "--node",
                          "relu", "--repeat", "4", "--json"});
    CHECK(ran.code == 0);
    CHECK(test::json(ran)["result"]["outputs"][0]["from_run"]["max"] == 0);
    const auto several = cli({"rerun", test::corpusLog("mlp_sgd"), "--node", "relu"});
    CHECK(several.code == 2);
    CHECK(contains(several.err, "choose it with --id and --kind"));
}
