#include "cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <set>

using namespace aotscope;
using test::cli;
using test::contains;
using Json = nlohmann::json;

namespace {

std::string sampleLog() {
    return std::string(AOTSCOPE_SOURCE_DIR) + "/resources/sample/transformer_encoder_layer.log";
}

std::string recorded(const std::string& name) {
    return std::string(AOTSCOPE_TEST_DIR) + "/timeline/" + name;
}

/// Names of the nodes that call something, of one graph.
std::set<std::string> callsOf(const std::string& log, const std::string& kind) {
    std::set<std::string> names;
    const Json graph = test::json(cli({"graph", log, "--kind", kind, "--format", "json"}));
    for (const Json& node : graph["nodes"]) {
        if (node["op"] == "call_function") {
            names.insert(node["name"].get<std::string>());
        }
    }
    return names;
}

/// "aten::addmm" of "aten.addmm.default"; empty for Python's functions.
std::string dispatched(const std::string& target) {
    const std::size_t space = target.find('.');
    const std::size_t overload = target.rfind('.');
    return space == overload
               ? ""
               : target.substr(0, space) + "::" + target.substr(space + 1, overload - space - 1);
}

void checkStep(const Json& told, const std::string& log) {
    for (const std::string kind : {"forward", "backward"}) {
        std::set<std::string> found;
        for (const Json& node : told["nodes"]) {
            if (node["graph"] != kind) {
                continue;
            }
            const std::string name = dispatched(node["target"]);
            if (!name.empty()) {
                CAPTURE(node["node"].get<std::string>());
                REQUIRE(!node["operators"].empty());
                CHECK(node["operators"][0] == name);
                CHECK(node["duration_ns"].get<std::int64_t>() > 0);
            }
            found.insert(node["node"].get<std::string>());
        }
        for (const std::string& name : callsOf(log, kind)) {
            CHECK_MESSAGE(found.contains(name), name);
        }
        CHECK(told["nodes_not_found"][kind].empty());
    }
}

} // namespace

TEST_CASE("a training step: every node with the operators it called") {
    const test::TempFolder folder;
    const std::string out = (folder.path() / "step.json").string();
    const auto ran = cli({"profile", sampleLog(), "--json", "-o", out});
    REQUIRE_MESSAGE(ran.code == 0, ran.err);
    const Json told = test::json(ran);
    CHECK(told["schema"] == "aotscope.profile/2");
    checkStep(told, sampleLog());
    CHECK(told["nanoseconds"].get<std::int64_t>() > 0);
    CHECK(told["nanoseconds_without_profiler"].get<std::int64_t>() > 0);

    // What was written is a trace in which the same nodes are found again.
    const auto again = cli({"profile", out, "--graphs", sampleLog(), "--json"});
    REQUIRE_MESSAGE(again.code == 0, again.err);
    const Json reread = test::json(again);
    checkStep(reread, sampleLog());
    CHECK(reread["trace"]["problems"].empty());

    const auto table = cli({"profile", sampleLog(), "--top", "5"});
    CHECK(table.code == 0);
    CHECK(contains(table.out, " under the profiler and "));
    CHECK(contains(table.out, "shorter ones"));
}

TEST_CASE("one graph, and files without gradients" * test::needsCorpus()) {
    const Json inference = test::json(cli({"profile", test::corpusLog("mlp_inference"), "--json"}));
    CHECK(!inference["nodes"].empty());
    CHECK(inference["nodes_not_found"].begin()->empty());
    // The texts of torch 2.15 say of which line a node of the backward is the derivative.
    const std::string step =
        (test::corpusDir() / "traces-2.15/mlp_sgd/dedicated_log_torch_trace_mlp_sgd.log").string();
    const Json told = test::json(cli({"profile", step, "--json"}));
    REQUIRE(!told["nodes"].empty());
    for (const Json& node : told["nodes"]) {
        const bool derived =
            node["graph"] == "backward" && node["target"].get<std::string>().starts_with("aten.");
        CHECK(node["forward_nodes"].empty() != derived);
        CHECK((!derived || !node["source"].is_null()));
    }
    const Json one = test::json(cli({"profile", sampleLog(), "--kind", "forward", "--json"}));
    CHECK(one["nodes_not_found"]["forward"].empty());
}

TEST_CASE("a trace that PyTorch wrote") {
    const auto ran = cli({"profile", recorded("mlp_trace.json.gz")});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "CPU memory allocated: 25 values"));
    CHECK(contains(ran.out, "operator"));
    const Json matched = test::json(
        cli({"profile", recorded("mlp_trace.json.gz"), "--graphs", recorded("mlp_forward.txt"), "--json"}));
    std::vector<std::string> names;
    for (const Json& node : matched["nodes"]) {
        names.push_back(node["node"]);
        CHECK(node["found_by"] == "order of operators");
    }
    CHECK(names == std::vector<std::string>{"t", "addmm", "gelu", "t_1", "addmm_1"});
    // Its nodes are not those of another program, which the exit code says.
    const auto other = cli({"profile", recorded("gpu_trace.json"), "--graphs", recorded("mlp_backward.txt")});
    CHECK(other.code == 1);
    CHECK(contains(other.out, "that were not found: 16"));
}

TEST_CASE("wrong requests are told apart") {
    CHECK(cli({"profile", recorded("mlp_trace.json.gz"), "--kind", "forward"}).code == 2);
    CHECK(cli({"profile", sampleLog(), "--graphs", sampleLog()}).code == 2);
    CHECK(cli({"profile", "/no/such/file.json"}).code == 3);
    const test::TempFolder folder;
    const auto damaged =
        cli({"profile", folder.write("cut.json", R"({"traceEvents": [{"ph": "X", "name": "a",)").string()});
    CHECK(damaged.code == 0);
    CHECK(contains(damaged.err, "At byte 17: The file ends inside the event"));
    CHECK(cli({"profile", recorded("mlp_trace.json.gz"), "-o", "/no/such/folder/out.json"}).code == 3);
}
