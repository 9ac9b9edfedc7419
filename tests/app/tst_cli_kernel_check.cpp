// `kernels --check` over a part of the corpus: every fused kernel beside ATen, on this machine's processor.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace aotscope;
using test::cli;
using Json = nlohmann::json;

namespace {

Json kernelCheckOf(std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), {"kernels", "--check", "--json"});
    const auto ran = cli(arguments);
    CHECK_MESSAGE(ran.code == code, ran.err);
    return Json::parse(ran.out);
}

} // namespace

TEST_CASE("every fused kernel of a part of the corpus equals ATen, and so do the graphs with all in place" *
          test::needsCorpus()) {
    std::vector<std::string> files;
    for (const char* name : {"hooks_fp8_mlp", "transformer_encoder_layer", "amp_autocast", "dropout_rng"}) {
        files.push_back((test::corpusDir() / "golden" / (std::string(name) + ".json")).string());
    }
    const Json check = kernelCheckOf(files, 0);
    CHECK(check["schema"] == "aotscope.kernel_check/2");
    CHECK(check["differing"] == 0);
    CHECK(check["kernels"] > 60);
    CHECK(check["share"] >= 0.8);
    for (const Json& graph : check["graphs"]) {
        CHECK_MESSAGE(graph["ok"] == true, graph["graph"]);
        CHECK(graph["check"]["whole_run"]["agrees"] == true);
    }
}

TEST_CASE("bodies of higher-order operators are checked under their names" * test::needsCorpus()) {
    const auto titlesOf = [](const Json& check) {
        std::vector<std::string> titles;
        for (const Json& graph : check["graphs"]) {
            const std::string title = graph["graph"];
            titles.push_back(title.substr(title.rfind(':') + 1));
        }
        return titles;
    };
    // The two branches of cond: a product and a sine, a scaled product; and their gradients.
    const Json branches = kernelCheckOf({test::corpusLog("hop_cond")}, 0);
    CHECK(titlesOf(branches) == std::vector<std::string>{"forward", "forward/true_graph_0",
                                                         "forward/false_graph_0", "backward",
                                                         "backward/true_graph_1", "backward/false_graph_1"});
    for (const Json& graph : branches["graphs"]) {
        CHECK_MESSAGE(graph["ok"] == true, graph["graph"]);
    }
    CHECK(branches["graphs"][1]["check"]["kernels"][0]["nodes"] == Json{"sin"});
    CHECK(branches["graphs"][2]["check"]["kernels"][0]["nodes"] == Json{"mul"});
    CHECK(branches["left_out"] == 0);
    // The step of a scan, and what a map does with each element.
    const Json loops = kernelCheckOf({test::corpusLog("hop_while_scan_map")}, 0);
    CHECK(titlesOf(loops) ==
          std::vector<std::string>{"forward", "forward/scan_combine_graph_0", "forward/body_graph_0",
                                   "backward", "backward/body_graph_1", "backward/scan_combine_graph_1"});
    // What flex_attention does with scores is no graph that runs.
    const Json attention = kernelCheckOf({test::corpusLog("hop_flex_attention")}, 0);
    CHECK(attention["left_out"] == 2);
    for (const Json& graph : attention["graphs"]) {
        const bool isBody = graph["graph"].get<std::string>().find("/sdpa_") != std::string::npos;
        CHECK((graph["left_out"] != "") == isBody);
    }
}

TEST_CASE("the seconds of a check are those of the compiles, without the search for a compiler") {
    const test::TempFolder folder;
    const auto graph =
        folder.write("graph.txt", "class GraphModule(torch.nn.Module):\n"
                                  "    def forward(self, x: \"f32[2][1]\"):\n"
                                  "        neg: \"f32[2][1]\" = torch.ops.aten.neg.default(x)\n"
                                  "        sin: \"f32[2][1]\" = torch.ops.aten.sin.default(neg)\n"
                                  "        return (sin,)\n");
    // It says its version slowly, and refuses every text at once.
    const auto compiler = folder.write("slow", "#!/bin/sh\n"
                                               "case \"$*\" in\n"
                                               "*--version*) sleep 3; echo slow 1 ;;\n"
                                               "*) echo 'kernel.cu:1:1: error: no' >&2; exit 1 ;;\n"
                                               "esac\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    const auto ran = test::runChild({std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli", "kernels",
                                     "--check", "--json", graph.string()},
                                    {"CXX=" + compiler.string()});
    CHECK(ran.code == 1);
    const Json check = test::json(ran)["graphs"][0]["check"];
    CHECK(check["compiler"] == "slow 1");
    CHECK(check["compile_seconds"].get<double>() < 3);
}

TEST_CASE("a graph that cannot be run fails the check, and says why") {
    const test::TempFolder folder;
    const auto file =
        folder.write("graph.txt", "class GraphModule(torch.nn.Module):\n"
                                  "    def forward(self, x: \"f32[2][1]\"):\n"
                                  "        neg: \"f32[2][1]\" = torch.ops.aten.neg.default(x)\n"
                                  "        no: \"f32[2][1]\" = torch.ops.aten.no_such.default(neg)\n"
                                  "        return (no,)\n");
    const Json check = kernelCheckOf({file.string()}, 1);
    REQUIRE(check["graphs"].size() == 1);
    CHECK(check["graphs"][0]["error"]["code"] == "run.unknown_operator");
}

TEST_CASE("sources are written, one file for each kernel" * test::needsCorpus()) {
    const test::TempFolder folder;
    const auto out = folder.path() / "kernels";
    const Json check =
        kernelCheckOf({(test::corpusDir() / "golden" / "mlp_sgd.json").string(), "--out", out.string()}, 0);
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
        if (entry.path().extension() == ".cu") {
            CHECK(test::readFile(entry.path()).find("extern \"C\" __global__") != std::string::npos);
            ++count;
        }
    }
    CHECK(count == check["kernels"]);
}

TEST_CASE("a log with Dynamo's graphs alone says so, and how to get the others" * test::needsCorpus()) {
    const auto ran =
        cli({"kernels", "--check", (test::corpusDir() / "tlparse-logs" / "comp_metrics.log").string()});
    CHECK(ran.code == 2);
    CHECK(ran.err.find("only the graphs that Dynamo captured") != std::string::npos);
    CHECK(ran.err.find("retrace FILE --out DIR") != std::string::npos);
}
