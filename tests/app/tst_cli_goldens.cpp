// Every golden program of the corpus through the command line: graphs and metadata.
#include "app/cli_support.h"
#include "app/expected_table.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

const std::filesystem::path tableFolder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden";

std::vector<std::string> tracedRows(const std::vector<std::string>& files) {
    std::vector<std::string> rows = {"program\tcompile\tgraph\tmetadata\treason"};
    const Json told = test::jsonAbout(files, {"retrace", "--exact", "--json"});
    REQUIRE(told.is_object());
    for (const Json& compile : told["compiles"]) {
        const std::string graph = compile["graph"];
        rows.push_back(graph.substr(0, graph.find('.')) + '\t' + test::verdictRow(compile));
    }
    return rows;
}

} // namespace

TEST_CASE("golden programs trace to PyTorch's text and metadata from the file alone, as their table says" *
          test::needsCorpus()) {
    test::checkTable(tableFolder / "corpus.goldens.tsv",
                     tracedRows(test::goldenFiles(test::corpusDir() / "golden")));
}

namespace {

/// Whether the numbers of a call agree, and the first tensor that does not.
std::string callRow(const std::string& program, const Json& call) {
    std::string row = program + '\t' + call["call"].get<std::string>() + '\t';
    if (call["skipped"] != "") {
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
    const std::filesystem::path folder = tableFolder / "recorded_calls";
    const Json told = test::jsonAbout(test::goldenFiles(folder), {"retrace", "--numbers", "--json"});
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
            CHECK(call["agrees"] == true);
        }
    }
}

TEST_CASE("golden programs of torch 2.15 are traced and split as their table says") {
    const std::filesystem::path folder = tableFolder / "goldens-2.15";
    const std::vector<std::string> files = test::goldenFiles(folder);
    std::vector<std::string> rows = tracedRows(files);
    const Json split = test::jsonAbout(files, {"partition", "--compare", "--input", "logged", "--json"});
    REQUIRE(split.is_object());
    for (const Json& half : split["partitions"]) {
        const std::string graph = half["graph"];
        rows.push_back(graph.substr(0, graph.find('.')) + '\t' + graph.substr(graph.find(':') + 1) + " by " +
                       half["partitioner"].get<std::string>() + '\t' +
                       (half["equal"] == true ? "equal" : "differs") + '\t' +
                       (half["metadata_equal"] == false ? "differs" : "-") + '\t' +
                       (half["differences"].empty() ? "-" : test::firstLine(half["differences"].at(0))));
    }
    test::checkTable(folder / "graphs.expected.tsv", rows);
}
