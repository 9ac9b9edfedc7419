// One program for each value of an option of PyTorch that changes graphs or metadata (tests/golden/options):
// under the log's own options the re-traced graphs, their metadata and their halves are PyTorch's.
#include "cli_support.h"
#include "expected_table.h"

#include <doctest/doctest.h>

#include <map>

using aotscope::test::cli;
using Json = nlohmann::json;
namespace test = aotscope::test;

namespace {

const std::filesystem::path folder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "options";

/// Whether the halves of each joint graph ("60/1") are PyTorch's, and with which options.
struct Split {
    std::string verdict;
    std::string reason = "-";
};

std::map<std::string, Split> splitsOf(const std::string& log) {
    const Json told = test::json(cli({"partition", "--json", "--compare", "--input", "logged", log}));
    REQUIRE(told.is_object());
    std::map<std::string, Split> found;
    for (const Json& partition : told["partitions"]) {
        std::string graph = partition["graph"];
        graph = graph.substr(graph.find(':') + 1);
        Split& split = found[graph.substr(0, graph.find(':'))];
        if (partition["error"].is_object()) {
            split = {"failed", test::firstLine(partition["error"]["message"])};
        } else if (partition["equal"] == false) {
            const bool isSavedEqual = partition["saved_verdict"]["word"] == "equal";
            const Json& verdict = partition[isSavedEqual ? "graphs_verdict" : "saved_verdict"];
            split = {verdict["word"], test::firstLine(verdict["reason"])};
        } else if (partition["metadata_equal"] == false) {
            split = {"differs in metadata", test::firstLine(partition["metadata_differences"].at(0))};
        } else {
            split = {"equal"};
        }
    }
    return found;
}

std::map<std::string, std::string> programsOf(const std::filesystem::path& table) {
    std::map<std::string, std::string> known;
    for (const std::string& line : test::tableLines(table)) {
        const std::size_t tab = line.find('\t');
        known[line.substr(0, line.find('/'))] = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
    }
    return known;
}

/// The option that a program is about: "cse" of "cse__false".
std::string optionOf(const std::string& program) {
    return program.substr(0, program.find("__"));
}

void checkOptions(const std::string& name) {
    const std::string log = (folder / (name + ".log.xz")).string();
    const std::filesystem::path table = folder / (name + ".expected.tsv");
    std::map<std::string, std::string> programs = programsOf(table);
    std::map<std::string, Split> splits = splitsOf(log);
    const Json told = test::json(cli({"retrace", "--json", log}));
    REQUIRE(told.is_object());
    std::vector<std::string> rows = {"compile\tprogram\tgraph\tmetadata\tpartition\treason"};
    for (const Json& compile : told["compiles"]) {
        const std::string id = compile["name"];
        const auto split = splits.find(id);
        std::string reason = test::reasonOf(compile);
        if (split != splits.end() && split->second.reason != "-") {
            reason = (reason == "-" ? "" : reason + "; ") + "split: " + split->second.reason;
        }
        rows.push_back(id + '\t' + programs[id.substr(0, id.find('/'))] + '\t' +
                       compile["verdict"]["word"].get<std::string>() + '\t' + test::metadataOf(compile) +
                       '\t' + (split == splits.end() ? "-" : split->second.verdict) + '\t' + reason);
    }
    test::checkTable(table, rows);
}

} // namespace

TEST_CASE("the log's own options are what is traced and partitioned") {
    checkOptions("options-2.11");
    checkOptions("options-2.15");
}

TEST_CASE("an option that is not followed is named in what it can touch") {
    const std::filesystem::path table = folder / "options-2.15.expected.tsv";
    const std::string log = (folder / "options-2.15.log.xz").string();
    const Json told = test::json(cli({"retrace", "--json", log}));
    const Json splits = test::json(cli({"partition", "--json", "--input", "logged", log}));
    std::map<std::string, std::string> programs = programsOf(table);
    std::size_t named = 0;
    const auto has = [](const Json& notes, const std::string& option) {
        return std::ranges::any_of(notes, [&](const Json& note) {
            const std::string text = note;
            return test::contains(text, option + " = ") && test::contains(text, "which is not followed");
        });
    };
    for (const Json& compile : told["compiles"]) {
        const std::string id = compile["name"];
        const std::string option = optionOf(programs[id.substr(0, id.find('/'))]);
        if (option == "selective_decompose") {
            CHECK(has(compile["notes"], option));
            ++named;
        }
    }
    for (const Json& split : splits["partitions"]) {
        std::string graph = split["graph"];
        graph = graph.substr(graph.find(':') + 1);
        const std::string option = optionOf(programs[graph.substr(0, graph.find('/'))]);
        if (option == "enable_activation_offloading" || option == "joint_custom_pass" ||
            option == "enable_complex_wrapper") {
            CHECK(has(split["notes"], option));
            ++named;
        }
    }
    CHECK(named == 5);
}
