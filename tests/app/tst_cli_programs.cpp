// The logs of tests/golden/packs and packs-2.15: thousands of compiles by PyTorch of programs beyond the
// corpus. Each is traced and partitioned again, and each verdict compared with the recorded one
// (tests/golden/README.md).
#include "cli_support.h"
#include "expected_table.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

using aotscope::test::cli;
using Json = nlohmann::json;
namespace test = aotscope::test;

namespace {

const std::filesystem::path golden = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden";

/// The logs of a folder of packs, without their ending.
std::vector<std::filesystem::path> packsIn(const char* folder) {
    constexpr std::string_view ending = ".log.xz";
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(golden / folder)) {
        const std::string path = entry.path().string();
        if (path.ends_with(ending)) {
            found.emplace_back(path.substr(0, path.size() - ending.size()));
        }
    }
    std::ranges::sort(found);
    return found;
}

std::string logOf(const std::filesystem::path& pack) {
    return pack.string() + ".log.xz";
}

/// Inductor rewrites joint graphs before it partitions them, so its halves do not belong to the logged joint
/// graph.
bool isSplitAsLogged(const std::filesystem::path& pack) {
    return !test::contains(pack.filename().string(), "inductor");
}

/// Per graph ("60/1 joint"): whether it was partitioned as PyTorch did, and the first difference.
std::map<std::string, std::pair<std::string, std::string>> splits(const std::filesystem::path& pack) {
    const Json told = test::json(cli({"partition", "--json", "--compare", "--input", "logged", logOf(pack)}));
    std::map<std::string, std::pair<std::string, std::string>> found;
    if (told.is_discarded()) {
        return found; // No program of the pack has a backward.
    }
    for (const Json& partition : told.value("partitions", Json::array())) {
        // "research_models.log.xz:60/1:joint"
        std::string graph = partition["graph"];
        graph = graph.substr(graph.find(':') + 1);
        std::ranges::replace(graph, ':', ' ');
        const Json& equal = partition["equal"];
        std::string reason;
        if (partition["error"].is_object()) {
            reason = test::firstLine(partition["error"]["message"]);
        } else if (equal == false) {
            // What is saved may differ where the graphs cannot tell.
            const Json& graphs = partition["differences"];
            reason = test::firstLine(graphs.empty() ? partition["saved_verdict"]["reason"].get<std::string>()
                                                    : graphs[0].get<std::string>());
        } else if (partition["metadata_equal"] == false) {
            reason = test::firstLine(partition["metadata_differences"].at(0));
        }
        const Json judged =
            partition["graphs_verdict"].is_object() ? partition["graphs_verdict"] : Json::object();
        const std::string word = judged.value("word", "no halves");
        if (equal.is_null() && reason.empty()) {
            // The difference that decides nothing stays in the table.
            for (const Json& line : judged.value("not_compared", Json::array())) {
                if (test::contains(line.get<std::string>(), "first difference")) {
                    reason = test::firstLine(line.get<std::string>());
                }
            }
        }
        const std::string verdict = partition["error"].is_object()         ? "failed"
                                    : equal.is_null()                      ? word
                                    : equal == false                       ? "differs"
                                    : partition["metadata_equal"] == false ? "differs in metadata"
                                                                           : "equal";
        found[graph] = {verdict, reason};
    }
    return found;
}

/// The program of each compile and frame, from the table, because a log does not name programs.
std::map<std::string, std::string> programs(const std::filesystem::path& table) {
    std::map<std::string, std::string> known;
    for (const std::string& line : test::tableLines(table)) {
        std::istringstream columns(line);
        std::string compile;
        std::string program;
        std::getline(columns, compile, '\t');
        std::getline(columns, program, '\t');
        known[compile] = program;
        known[compile.substr(0, compile.find('/'))] = program;
    }
    return known;
}

void checkPack(const std::filesystem::path& pack) {
    const std::filesystem::path table = pack.string() + ".expected.tsv";
    std::map<std::string, std::string> known = programs(table);
    auto split = isSplitAsLogged(pack) ? splits(pack) : decltype(splits(pack))();
    const Json told = test::json(cli({"retrace", "--exact", "--json", logOf(pack)}));
    REQUIRE(told.is_object());
    std::vector<std::string> rows = {"compile\tprogram\tgraph\tmetadata\tpartition\treason"};
    for (const Json& compile : told["compiles"]) {
        const std::string id = test::idOf(compile);
        const std::string program = known.contains(id) ? known[id] : known[id.substr(0, id.find('/'))];
        const auto [partition, whySplit] =
            split.contains(id) ? split[id] : std::pair<std::string, std::string>("-", "");
        std::string reason = test::reasonOf(compile);
        if (!whySplit.empty()) {
            reason = (reason == "-" ? "" : reason + "; ") + "split: " + whySplit;
        }
        rows.push_back(id + '\t' + program + '\t' + compile["verdict"]["word"].get<std::string>() + '\t' +
                       test::metadataOf(compile) + '\t' + partition + '\t' + reason);
        split.erase(id);
    }
    for (const auto& [id, found] : split) {
        rows.push_back(id + '\t' + known[id] + "\t-\t-\t" + found.first + '\t' +
                       (found.second.empty() ? "-" : "split: " + found.second));
    }
    test::checkTable(table, rows);
}

} // namespace

TEST_CASE("programs beyond the corpus are traced and split as their tables say") {
    for (const char* folder : {"packs", "packs-2.15"}) {
        const std::vector<std::filesystem::path> found = packsIn(folder);
        REQUIRE(!found.empty());
        for (const std::filesystem::path& pack : found) {
            CAPTURE(pack);
            checkPack(pack);
        }
    }
}

TEST_CASE("the default partition of their logged joint graphs is possible") {
    // It is in no log of aot_eager.
    const std::string log = logOf(golden / "packs" / "models_and_optimizers");
    const auto byDefault = cli({"partition", "--partitioner", "default", "--input", "logged", log});
    CHECK(byDefault.out.find("failed") == std::string::npos);
    // A row for each joint graph, and the titles.
    CHECK(test::countOf(byDefault.out, "\n") ==
          test::countOf(test::readPlainOrXz(log), "\"aot_joint_graph\": ") + 1);
}

TEST_CASE(
    "inputs of other dtypes in one memory, conjugates of constants and counts with weights are traced") {
    for (const std::string release : {"2.11", "2.15"}) {
        CAPTURE(release);
        const auto told = cli({"retrace", logOf(golden / "dtypes_of_one_memory" / ("torch-" + release))});
        CAPTURE(told.out);
        CHECK(test::countOf(told.out, "equal (") >= 10);
        CHECK(test::contains(told.out, "10 of 10 graphs equal"));
        CHECK(test::contains(told.out, "metadata equal in 10 of 10"));
    }
}

TEST_CASE("random numbers that Inductor draws in its own way are the same saved values") {
    const auto told = test::json(
        cli({"partition", "--compare", "--json", logOf(golden / "inductor_draws" / "four_draws")}));
    REQUIRE(told.is_object());
    CHECK(told.at("partitions").at(0).at("saved_verdict").at("word") == "equal");
}
