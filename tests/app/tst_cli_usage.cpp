// What a person is told who types a wrong command line: the reason on stderr, nothing on stdout, exit code 2.
#include "cli_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

constexpr int usageExit = 2;

void checkRefused(std::vector<std::string> arguments, const std::string& reason) {
    const test::Ran ran = cli(std::move(arguments));
    INFO(ran.err);
    CHECK(ran.code == usageExit);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, reason));
}

/// The names under "Subcommands:".
std::vector<std::string> listedCommands(const std::string& help) {
    std::vector<std::string> commands;
    std::istringstream lines(help.substr(std::min(help.find("Subcommands:"), help.size())));
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
        commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return commands;
}

} // namespace

TEST_CASE("Wrong command lines end with exit code 2 and say what is wrong") {
    checkRefused({"nonsense"}, "There is no command \"nonsense\"");
    checkRefused({"open"}, "FILE is required");
    checkRefused({"open", "a.log", "--nonsense"}, "--nonsense");
    checkRefused({"memory", "a.log", "--budget", "none"}, "--budget");
    checkRefused({"run", "a.log", "--device", "tpu"}, "--device");
    checkRefused({"kernels", "a.log", "--seed", "1"}, "--seed requires --check");
    checkRefused({"diff", "a.log"}, "is required");
}

TEST_CASE("Every command explains itself") {
    const test::Ran all = cli({"--help"});
    CHECK(all.code == 0);
    CHECK(contains(all.out, "Exit codes"));
    const std::vector<std::string> commands = listedCommands(all.out);
    CHECK(commands.size() == 25);
    for (const std::string& command : commands) {
        INFO(command);
        const test::Ran one = cli({command, "--help"});
        CHECK(one.code == 0);
        CHECK(contains(one.out, "Usage"));
        CHECK(contains(one.out, "--help"));
        CHECK(one.err.empty());
    }
    const test::Ran version = cli({"--version"});
    CHECK(version.code == 0);
    CHECK(version.out.starts_with("aotscope-cli "));
    CHECK(version.err.empty());
}
