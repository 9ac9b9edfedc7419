// What graphs show by themselves of wrong results, beside PyTorch's own answers
// (tests/golden/make_function_answers.py): a program is warned of if its gradients differ from eager mode,
// and only then.
#include "cli_support.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

using namespace aotscope;
using test::cli;

namespace {

const std::string golden = std::string(AOTSCOPE_TEST_DIR) + "/golden/";

std::vector<std::vector<std::string>> rowsOf(const std::string& name) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream in(golden + name);
    std::string line;
    std::getline(in, line); // the heading
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        auto& row = rows.emplace_back();
        for (std::string field; std::getline(fields, field, '\t');) {
            row.push_back(field);
        }
    }
    return rows;
}

/// Compile ids ("3/0") and their programs, without the three letters in front.
std::map<std::string, std::string> programsOf(const std::string& table) {
    std::map<std::string, std::string> programs;
    for (const auto& row : rowsOf(table)) {
        programs[row.at(0).substr(0, row.at(0).find(' '))] = row.at(1).substr(3);
    }
    return programs;
}

} // namespace

TEST_CASE("a Function whose gradient Dynamo gets wrong is warned of, and no other one") {
    for (const auto& [folder, release] :
         std::map<std::string, std::string>{{"packs", "2.11"}, {"packs-2.15", "2.15"}}) {
        CAPTURE(release);
        const auto programs = programsOf(folder + "/function_warnings.expected.tsv");
        REQUIRE(programs.size() > 20);
        const auto ran = cli({"problems", golden + folder + "/function_warnings.log.xz", "--json"});
        const auto told = test::json(ran);
        REQUIRE(told.is_object());
        std::set<std::string> warned;
        for (const auto& problem : told.at("logs").at(0).at("problems")) {
            const std::string code = problem.at("code");
            if (code.starts_with("function.") || code.starts_with("gradient.")) {
                CHECK(problem.at("severity") == "warning");
                CHECK_FALSE(problem.at("nodes").empty());
                CHECK_FALSE(problem.at("hint").get<std::string>().empty());
                REQUIRE(programs.contains(problem.at("id")));
                warned.insert(programs.at(problem.at("id")));
            }
        }
        std::set<std::string> differing;
        for (const auto& row : rowsOf("function_answers.tsv")) {
            if (row.at(0) == release && row.at(2) != "equal") {
                differing.insert(row.at(1));
            }
        }
        CHECK_FALSE(differing.empty());
        CHECK(warned == differing);
    }
}

TEST_CASE("a random operator that is computed again without its state is an error of the log") {
    const std::map<std::string, std::size_t> wanted = {
        {"dropout_without_budget", 1}, {"two_dropouts_without_budget", 2}, {"noise_without_budget", 1}};
    for (const std::string release : {"2.11", "2.15"}) {
        CAPTURE(release);
        const auto programs = programsOf("graph_warnings/random-" + release + ".programs.tsv");
        REQUIRE(programs.size() == 6);
        const auto ran = cli({"problems", golden + "graph_warnings/random-" + release + ".log.xz", "--json"});
        CHECK(ran.code == 1);
        const auto told = test::json(ran);
        REQUIRE(told.is_object());
        std::map<std::string, std::size_t> found;
        for (const auto& problem : told.at("logs").at(0).at("problems")) {
            if (problem.at("code") == "random.recomputed") {
                CHECK(problem.at("severity") == "error");
                ++found[programs.at(problem.at("id"))];
            }
        }
        CHECK(found == wanted);
    }
}

TEST_CASE("a part without autocast whose backward autocast lowers is warned of, and nothing else is") {
    for (const std::string folder : {"packs", "packs-2.15"}) {
        CAPTURE(folder);
        const auto programs = programsOf(folder + "/global_states.expected.tsv");
        const auto ran = cli({"problems", golden + folder + "/global_states.log.xz", "--json"});
        const auto told = test::json(ran);
        REQUIRE(told.is_object());
        std::set<std::string> warned;
        for (const auto& problem : told.at("logs").at(0).at("problems")) {
            if (problem.at("code") == "backward.autocast") {
                CHECK(problem.at("severity") == "warning");
                warned.insert(programs.at(problem.at("id")));
            }
        }
        // The other programs have no part that switches autocast off.
        CHECK(warned == std::set<std::string>{"shared_weight_autocast", "shared_weight_autocast_f16",
                                              "shared_weight_autocast_uncached"});
    }
}
