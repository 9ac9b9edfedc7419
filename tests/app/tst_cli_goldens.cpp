// Every golden program of the corpus through the command line: graphs and metadata.
#include "app/cli_support.h"
#include "app/expected_table.h"
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
        if (compile["verdict"]["word"] == "differs" || compile["metadata_equal"] == false) {
            differ.insert(compile["graph"].get<std::string>());
        }
    }
    // Golden files do not say which inputs lie in one memory, but in the answer itself; and no file says what
    // a function that is the policy of a checkpoint decides.
    for (const std::string& graph : differ) {
        CHECK(
            (test::contains(graph, "synthetic_base_views") || test::contains(graph, "ac_selective_policy")));
    }
    CHECK(told["equal"].get<int>() >= 63);
}

namespace {

/// Whether the numbers of a call agree, and the first tensor that does not.
std::string callRow(const std::string& program, const Json& call) {
    std::string row = program + '\t' + call["call"].get<std::string>() + '\t';
    if (call.contains("skipped")) {
        return row + "not compared\t" + test::firstLine(call["skipped"]);
    }
    row += call["agrees"] == true ? "equal\t" : "differs\t";
    for (const Json& tensor : call["apart"]) {
        row += (row.ends_with('\t') ? "" : ", ") + tensor["name"].get<std::string>();
    }
    return row.ends_with('\t') ? row + "-" : row;
}

} // namespace

TEST_CASE("recorded calls of further golden programs give the numbers that their table says") {
    // Made by tests/golden/make_recorded_calls.py.
    const std::filesystem::path folder =
        std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "recorded_calls";
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().ends_with(".json.xz")) {
            files.insert(entry.path().string());
        }
    }
    std::vector<std::string> arguments = {"retrace", "--numbers", "--json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Json told = test::json(test::cli(std::move(arguments)));
    REQUIRE(told["compiles"].size() == 3);
    CHECK(told["grad_mode_assumed"] == 0);
    std::vector<std::string> rows = {"program\tcall\tnumbers\treason"};
    for (const Json& compile : told["compiles"]) {
        const std::string graph = compile["graph"];
        CAPTURE(graph);
        CHECK(compile["verdict"]["word"] == "equal");
        for (const Json& call : compile["numbers"]) {
            rows.push_back(callRow(graph.substr(0, graph.find('.')), call));
        }
    }
    test::checkTable(folder / "calls.expected.tsv", rows);
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

TEST_CASE("golden programs of torch 2.15 are traced and split as their table says") {
    const std::filesystem::path folder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "goldens-2.15";
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().filename().string().ends_with(".json.xz")) {
            files.insert(entry.path().string());
        }
    }
    REQUIRE(files.size() >= 40);
    std::vector<std::string> arguments = {"retrace", "--exact", "--json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    std::vector<std::string> rows = {"program\tcompile\tgraph\tmetadata\treason"};
    for (const Json& compile : test::json(test::cli(arguments))["compiles"]) {
        const std::string graph = compile["graph"];
        rows.push_back(graph.substr(0, graph.find('.')) + '\t' + test::verdictRow(compile));
    }
    arguments = {"partition", "--compare", "--input", "logged", "--json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    for (const Json& half : test::json(test::cli(arguments))["partitions"]) {
        const std::string graph = half["graph"];
        rows.push_back(graph.substr(0, graph.find('.')) + '\t' + graph.substr(graph.find(':') + 1) + " by " +
                       half["partitioner"].get<std::string>() + '\t' +
                       (half["equal"] == true ? "equal" : "differs") + '\t' +
                       (half["metadata_equal"] == false ? "differs" : "-") + '\t' +
                       (half["differences"].empty() ? "-" : test::firstLine(half["differences"].at(0))));
    }
    test::checkTable(folder / "graphs.expected.tsv", rows);
}
