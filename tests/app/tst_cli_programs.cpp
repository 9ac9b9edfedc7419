// Four hundred programs beyond the corpus, and language models of changing length, compiled by PyTorch 2.11
// for this (tests/golden/make_more_program_logs.py, make_language_model_logs.py,
// make_unseen_program_logs.py, make_family_logs.py, make_workload_logs.py).
#include "cli_support.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

using aotscope::test::cli;
using Json = nlohmann::json;
namespace test = aotscope::test;

namespace {

std::filesystem::path golden(const char* name) {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / name;
}

/// "60/1": the program that was compiled, by frame.
class Programs {
public:
    explicit Programs(const char* names) {
        std::ifstream file(golden(names));
        std::string frame;
        std::string name;
        while (file >> frame >> name) {
            m_names[frame] = name;
        }
        REQUIRE(!m_names.empty());
    }
    [[nodiscard]] std::string nameOf(const std::string& compile) const {
        const auto found = m_names.find(compile.substr(0, compile.find('/')));
        return found == m_names.end() ? compile : found->second + " (" + compile + ")";
    }

private:
    std::map<std::string, std::string> m_names;
};

/// The first words of the lines of a list, "#" lines apart.
std::set<std::string> listed(const char* file) {
    std::ifstream lines(golden(file));
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);) {
        std::string word;
        if (std::istringstream(line) >> word && word.front() != '#') {
            found.insert(word);
        }
    }
    return found;
}

/// A pack of logs, with the names of its programs and what is left to do of it.
struct Pack {
    const char* log;
    const char* names;
    const char* left;
    /// Null: all are split as PyTorch split them.
    const char* notSplit;
    std::size_t compiles;
    std::size_t splits;
};

constexpr Pack morePrograms = {
    "more_program_logs.log.xz", "more_program_names.txt", "more_programs_left.txt", nullptr, 250, 150};
constexpr Pack languageModels = {
    "language_model_logs.log.xz", "language_model_names.txt", "language_models_left.txt", nullptr, 50, 45};
constexpr Pack unseenPrograms = {"unseen_program_logs.log.xz",
                                 "unseen_program_names.txt",
                                 "unseen_programs_left.txt",
                                 "unseen_programs_not_split.txt",
                                 195,
                                 160};

constexpr Pack families = {"family_logs.log.xz", "family_names.txt", "family_left.txt", nullptr, 95, 80};
constexpr Pack familiesByInductor = {
    "family_inductor_logs.log.xz", "family_inductor_names.txt", "family_inductor_left.txt", nullptr, 95, 80};

constexpr Pack varied = {
    "varied_logs.log.xz", "varied_names.txt", "varied_left.txt", "varied_not_split.txt", 190, 180};
constexpr Pack relatives = {
    "relatives_logs.log.xz", "relatives_names.txt", "relatives_left.txt", nullptr, 130, 125};

constexpr Pack changingSizes = {
    "changing_size_logs.log.xz", "changing_size_names.txt", "changing_size_left.txt", nullptr, 155, 140};

constexpr Pack relativesByInductor = {"relatives_inductor_logs.log.xz",
                                      "relatives_names.txt",
                                      "relatives_inductor_left.txt",
                                      nullptr,
                                      130,
                                      125};

constexpr Pack workloads = {
    "workload_logs.log.xz", "workload_names.txt", "workload_left.txt", nullptr, 100, 0};
constexpr Pack workloadsByInductor = {
    "workload_inductor_logs.log.xz", "workload_names.txt", "workload_inductor_left.txt", nullptr, 100, 0};

/// Programs written for Inductor's decompositions, and single operators under them.
constexpr Pack byInductor = {
    "inductor_logs.log.xz", "inductor_names.txt", "inductor_left.txt", nullptr, 85, 0};
constexpr Pack operatorsByInductor = {
    "operator_logs.log.xz", "operator_names.txt", "operator_left.txt", nullptr, 320, 0};

/// What LibTorch's own code says of symbolic sizes that it cannot take, in PyTorch and here.
bool isRefusal(const Json& error) {
    const std::string message = error["message"];
    return message.starts_with("Cannot call numel() on tensor with symbolic sizes/strides");
}

void checkTraces(const Pack& pack) {
    const Programs programs(pack.names);
    const std::set<std::string> left = listed(pack.left);
    const Json told = test::json(cli({"retrace", "--exact", "--json", golden(pack.log).string()}));
    CHECK(told["compiles"].size() > pack.compiles);
    for (const Json& compile : told["compiles"]) {
        const std::string verdict = compile["verdict"];
        const std::string id = compile["name"];
        // PyTorch left no graph because it refused the program as well, for the same reason.
        const bool bothRefuse = compile["logged_nodes"].is_null() && verdict == "failed" &&
                                (compile["error"]["code"] == "trace.alias" || isRefusal(compile["error"]));
        if (!left.contains(id) && !bothRefuse) {
            CHECK_MESSAGE((verdict == "equal" && compile["metadata_equal"] != false),
                          programs.nameOf(id) << ": " << compile.dump().substr(0, 400));
        }
    }
}

void checkSplits(const Pack& pack) {
    const Programs programs(pack.names);
    const std::set<std::string> left =
        pack.notSplit == nullptr ? std::set<std::string>() : listed(pack.notSplit);
    const Json told =
        test::json(cli({"partition", "--json", "--compare", "--input", "logged", golden(pack.log).string()}));
    std::size_t compared = 0;
    for (const Json& partition : told["partitions"]) {
        // "more_program_logs.log.xz:60/1:joint"
        const std::string graph = partition["graph"];
        const std::size_t colon = graph.find(':');
        const std::string id = graph.substr(colon + 1, graph.rfind(':') - colon - 1);
        compared += partition["equal"].is_null() ? 0 : 1;
        if (!left.contains(id)) {
            CHECK_MESSAGE(partition["equal"] != false, programs.nameOf(id)
                                                           << ": " << partition["differences"].dump());
        }
    }
    CHECK(compared > pack.splits);
}

} // namespace

TEST_CASE("programs beyond the corpus trace to PyTorch's graphs but for those that are listed") {
    checkTraces(morePrograms);
}

TEST_CASE("language models of changing length trace to PyTorch's graphs but for those that are listed") {
    checkTraces(languageModels);
}

TEST_CASE("programs written to find what fails trace to PyTorch's graphs but for those that are listed") {
    checkTraces(unseenPrograms);
}

TEST_CASE("further members of the corpus' families trace to PyTorch's graphs but for those that are listed") {
    checkTraces(families);
}

TEST_CASE(
    "relatives with in-place operators on changing sizes trace to PyTorch's graphs but for those listed") {
    checkTraces(relatives);
}

TEST_CASE(
    "operators on changing sizes, a few in each program, trace to PyTorch's graphs but for those listed") {
    checkTraces(varied);
}

TEST_CASE("steps of everyday work trace to PyTorch's graphs but for those that are listed") {
    checkTraces(workloads);
}

TEST_CASE("programs of changing batch, length or image as people write them trace to PyTorch's graphs") {
    checkTraces(changingSizes);
}

TEST_CASE("and so they do for Inductor, decomposed as it asks") {
    checkTraces(familiesByInductor);
    checkTraces(relativesByInductor);
    checkTraces(byInductor);
    checkTraces(workloadsByInductor);
    checkTraces(operatorsByInductor);
}

TEST_CASE("their logged joint graphs are split as PyTorch split them") {
    checkSplits(morePrograms);
    checkSplits(languageModels);
    checkSplits(unseenPrograms);
    checkSplits(families);
    checkSplits(relatives);
    checkSplits(varied);
    // Inductor rewrites joint graphs before it splits them: its halves are others.
}

TEST_CASE("the default partition of their logged joint graphs is possible") {
    const std::string log = golden(morePrograms.log).string();
    // It is in no log of aot_eager.
    const auto byDefault = cli({"partition", "--partitioner", "default", "--input", "logged", log});
    std::istringstream rows(byDefault.out);
    for (std::string row; std::getline(rows, row);) {
        CHECK_MESSAGE(row.find("failed") == std::string::npos, row);
    }
}

TEST_CASE("backward passes under compiled autograd trace to PyTorch's graphs but for those that are listed") {
    // Made by tests/golden/make_compiled_autograd_logs.py.
    const std::set<std::string> left = listed("compiled_autograd_left.txt");
    const std::string log = golden("compiled_autograd_logs.log.xz").string();
    const Json told = test::json(cli({"retrace", "--json", log}));
    std::size_t equal = 0;
    for (const Json& compile : told["compiles"]) {
        const std::string id = compile["name"];
        const bool isEqual = compile["verdict"] == "equal" && compile["metadata_equal"] != false;
        equal += isEqual && id.starts_with('!') ? 1 : 0;
        CHECK_MESSAGE((isEqual || left.contains(id)), id << ": " << compile.dump().substr(0, 400));
    }
    CHECK(equal > 35);
}
