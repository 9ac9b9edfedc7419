// What a person is told who types a wrong command line: the reason on stderr, nothing on stdout, exit code 2.
#include "cli_support.h"

#include <doctest/doctest.h>

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
    for (const char* command :
         {"open",      "graph",    "diff",     "run",   "retrace", "payload",  "budget",   "memory",
          "partition", "problems", "coverage", "why",   "rules",   "metadata", "wrappers", "cache",
          "rerun",     "replay",   "step",     "hooks", "kernels", "devices",  "profile"}) {
        INFO(command);
        CHECK(contains(all.out, command));
        const test::Ran one = cli({command, "--help"});
        CHECK(one.code == 0);
        CHECK(contains(one.out, "--help"));
        CHECK(one.err.empty());
    }
    const test::Ran version = cli({"--version"});
    CHECK(version.code == 0);
    CHECK(contains(version.out, "aotscope"));
}
