// The options that a log tells: listed, followed, changed by --config, and named in results.
#include "cli_support.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace aotscope;
using test::cli;
using Json = nlohmann::json;

namespace {

std::string optionsLog() {
    return std::string(AOTSCOPE_TEST_DIR) + "/golden/options/options-2.15.log.xz";
}

/// The compile of a program of the pack: "3/0".
std::string idOfProgram(const std::string& program) {
    std::istringstream rows(
        test::readFile(std::string(AOTSCOPE_TEST_DIR) + "/golden/options/options-2.15.expected.tsv"));
    for (std::string row; std::getline(rows, row);) {
        const std::size_t tab = row.find('\t');
        if (tab != std::string::npos && row.substr(tab + 1, row.find('\t', tab + 1) - tab - 1) == program) {
            return row.substr(0, tab);
        }
    }
    FAIL("no program " << program);
    return {};
}

Json option(const Json& compile, const std::string& name) {
    for (const Json& each : compile["options"]) {
        if (each["name"] == name) {
            return each;
        }
    }
    FAIL("no option " << name);
    return {};
}

double budgetOf(std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "partition", "--input", "logged", "--json", "--id", idOfProgram("activation_memory_budget__0_3")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(optionsLog());
    const Json told = test::json(cli(arguments));
    REQUIRE(told.is_object());
    return told["partitions"][0]["memory_budget"].get<double>();
}

} // namespace

TEST_CASE("the options of a compile are listed with their defaults") {
    const auto ran = cli(
        {"open", optionsLog(), "--config", "--json", "--id", idOfProgram("activation_memory_budget__0_3")});
    REQUIRE(ran.code == 0);
    const Json compile = test::json(ran)["compiles"][0];
    CHECK(compile["logged"] == true);
    const Json budget = option(compile, "activation_memory_budget");
    CHECK(budget["value"] == "0.3");
    CHECK(budget["default"] == "1.0");
    CHECK(budget["is_default"] == false);
    CHECK(budget["followed"] == true);
    for (const Json& each : compile["options"]) {
        CAPTURE(each["name"].get<std::string>());
        // Torch 2.15 has no option that is not known here.
        CHECK(!each["default"].is_null());
    }
}

TEST_CASE("--budget goes before --config, and that before the log") {
    CHECK(budgetOf({}) == 0.3);
    CHECK(budgetOf({"--config", "activation_memory_budget=0.8"}) == 0.8);
    CHECK(budgetOf({"--config", "activation_memory_budget=0.8", "--budget", "0.1"}) == 0.1);
}

TEST_CASE("results name the options that they hold for") {
    const std::string id = idOfProgram("cse__false");
    const auto logged = cli({"partition", "--input", "logged", "--compare", "--id", id, optionsLog()});
    CHECK(test::contains(logged.out + logged.err, "cse = False (from the log)"));
    CHECK(test::contains(logged.out, "equal"));
    CHECK(!test::contains(logged.out, "differs"));
    const auto chosen = cli(
        {"partition", "--input", "logged", "--compare", "--config", "cse=True", "--id", id, optionsLog()});
    CHECK(test::contains(chosen.out, "differs"));
    const auto wrong = cli({"partition", "--config", "cse=maybe", optionsLog()});
    CHECK(wrong.code == 2);
    CHECK(test::contains(wrong.err, "True or False"));
}
