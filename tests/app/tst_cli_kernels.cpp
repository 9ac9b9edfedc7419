// `kernels FILE`: the kernels of logs, against what the logs' own records say of them.
#include "cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace aotscope;
using test::cli;
using test::contains;
using Json = nlohmann::json;

namespace {

std::string recorded(const std::string& name) {
    return std::string(AOTSCOPE_TEST_DIR) + "/inductor/records/" + name + ".log.xz";
}

std::set<std::string> nodeNames(const Json& launch) {
    std::set<std::string> names;
    for (const Json& node : launch["nodes"]) {
        names.insert(node["name"].get<std::string>());
    }
    return names;
}

} // namespace

TEST_CASE("the kernels of a log as PyTorch's mapping gives them" * test::needsCorpus()) {
    const std::string log =
        (test::corpusDir() / "tlparse-logs" / "inductor_provenance_jit_debug_handle_log.txt").string();
    const Json listed = test::json(cli({"kernels", log, "--json"}));
    CHECK(listed["schema"] == "aotscope.kernels/2");
    REQUIRE(listed["compiles"].size() == 1);
    const Json& code = listed["compiles"][0]["codes"][0];
    CHECK(code["half"] == "forward");
    CHECK(code["has_mapping"] == true);
    // The record inductor_provenance_tracking_node_mappings of the log.
    const Json mapping = test::json(
        cli({"payload", log, "--id", "0/0", "--name", "inductor_provenance_tracking_node_mappings"}));
    REQUIRE(mapping.contains("cppCodeToPost"));
    REQUIRE(code["launches"].size() == mapping["cppCodeToPost"].size());
    for (const Json& launch : code["launches"]) {
        const std::string key = launch["kernel"].get<std::string>() + ":" +
                                std::to_string(launch["launch"]["comments"]["handle"].get<int>());
        REQUIRE(mapping["cppCodeToPost"].contains(key));
        CHECK(nodeNames(launch) == mapping["cppCodeToPost"][key].get<std::set<std::string>>());
        CHECK(launch["unlinked"] == "");
        CHECK_FALSE(launch["sources"].empty());
    }
    CHECK(code["kernels"][2]["name"] == "triton_poi_fused_addmm_gelu_2");
    CHECK(code["kernels"][2]["kind"] == "Triton pointwise");
    const Json& facts = code["kernels"][2]["facts"];
    CHECK(std::ranges::count(facts, Json({{"name", "num_load"}, {"value", "2"}})) == 1);
    CHECK(code["unlinked_nodes"][0]["name"] == "permute");
    CHECK(contains(code["unlinked_nodes"][0]["reason"], "a view"));
}

TEST_CASE("forward and backward of a log without a mapping") {
    // mlp.mapping.json is PyTorch's mapping of the same program with the mapping switched on.
    const Json mapping =
        Json::parse(test::readFile(std::string(AOTSCOPE_TEST_DIR) + "/inductor/records/mlp.mapping.json"));
    const auto table = cli({"kernels", recorded("mlp_plain")});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "0/0 forward: 4 launches of 3 kernels"));
    CHECK(contains(table.out, "0/0 backward: 6 launches of 4 kernels"));
    CHECK(contains(table.out, "linked by comments and data flow"));
    CHECK(contains(table.out, "Not linked:"));
    const Json codes = test::json(cli({"kernels", recorded("mlp_plain"), "--json"}))["compiles"][0]["codes"];
    REQUIRE(codes.size() == mapping.size());
    std::size_t compared = 0;
    for (std::size_t half = 0; half < codes.size(); ++half) {
        CHECK(codes[half]["has_mapping"] == false);
        for (const Json& launch : codes[half]["launches"]) {
            if (launch["kernel"].get<std::string>().starts_with("cpp_")) {
                for (const auto& [key, nodes] : mapping[half].items()) {
                    if (key.starts_with(launch["kernel"].get<std::string>() + ":")) {
                        const std::set<std::string> theirs = nodes.get<std::set<std::string>>();
                        const std::set<std::string> ours = nodeNames(launch);
                        CHECK(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
                        ++compared;
                    }
                }
            }
        }
    }
    CHECK(compared == 5);
}

TEST_CASE("the source of one kernel, and what is not there") {
    const auto source = cli({"kernels", recorded("mlp"), "--code", "cpp_fused_sigmoid_1"});
    CHECK(source.code == 0);
    CHECK(contains(source.out, "extern \"C\"  void  kernel(float* in_out_ptr0)"));
    CHECK_FALSE(contains(source.out, "async_compile"));
    const auto unknown = cli({"kernels", recorded("mlp"), "--code", "no_such_kernel"});
    CHECK(unknown.code == 2);
    CHECK(contains(unknown.err, "cpp_fused_sigmoid_1"));
    const auto none = cli(
        {"kernels", std::string(AOTSCOPE_SOURCE_DIR) + "/resources/sample/transformer_encoder_layer.log"});
    CHECK(none.code == 1);
    CHECK(contains(none.err, "TORCH_TRACE"));
    CHECK(cli({"kernels", recorded("mlp"), "--id", "7/7"}).code == 2);
}

TEST_CASE("from a node or a source line to its kernels") {
    const Json ofNode = test::json(cli({"kernels", recorded("mlp"), "--node", "addmm_1", "--json"}));
    std::vector<Json> launches;
    for (const Json& code : ofNode["compiles"][0]["codes"]) {
        launches.insert(launches.end(), code["launches"].begin(), code["launches"].end());
    }
    REQUIRE(launches.size() == 1);
    // The log's mapping gives "extern_kernels.addmm:3" the node addmm_1.
    CHECK(launches[0]["kernel"] == "extern_kernels.addmm");
    CHECK(launches[0]["launch"]["comments"]["handle"] == 3);
    // The whole model is one line of its program.
    const auto ofLine = cli({"kernels", recorded("mlp"), "--source", "model.py:41"});
    CHECK(test::countOf(ofLine.out, "extern_kernels.") == 5);
    CHECK_FALSE(contains(ofLine.out, "Not linked"));
    CHECK(cli({"kernels", recorded("mlp"), "--source", "model.py:1"}).code == 1);
    const auto view = cli({"kernels", recorded("mlp"), "--node", "permute"});
    CHECK(view.code == 1);
    CHECK(contains(view.err, "No kernel computes that"));
}
