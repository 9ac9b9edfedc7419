#include "base/run_child.h"

#include "base/child_process.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sys/wait.h>

using namespace aotscope::base;

namespace {

std::size_t openFiles() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::size_t(std::distance(begin(files), end(files)));
}

bool hasChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

constexpr ChildLimits longTime{std::chrono::seconds(60)};

} // namespace

TEST_CASE("what the child writes comes back while large input is still being fed") {
    const std::string input(20'000'000, 'x');
    const auto run = runChild("cat", {}, input, longTime, {});
    REQUIRE(run.ok());
    CHECK(run->output == input);
    CHECK(run->status == 0);
    CHECK_FALSE(hasChildren());
}

TEST_CASE("a child that does not read its input is no trouble") {
    const auto run = runChild("echo", {"a b", "$HOME;*"}, std::string(5'000'000, 'x'), longTime, {});
    REQUIRE(run.ok());
    CHECK(run->output == "a b $HOME;*\n");
}

TEST_CASE("a program that is not there is an error, not a crash") {
    const auto run = runChild("/nonexistent/program", {}, "x", longTime, {});
    REQUIRE_FALSE(run.ok());
    CHECK(run.error().code == "base.program_missing");
    CHECK_FALSE(hasChildren());
}

TEST_CASE("a child that takes too long is killed and reaped") {
    const auto run = runChild("sleep", {"600"}, "", {std::chrono::milliseconds(50)}, {});
    REQUIRE_FALSE(run.ok());
    CHECK(run.error().code == "base.program_late");
    CHECK_FALSE(hasChildren());
}

TEST_CASE("no file stays open and no child is left, however it ends") {
    const std::size_t before = openFiles();
    for (int i = 0; i < 10; ++i) {
        (void)runChild("cat", {}, "x", longTime, {});
        (void)runChild("/nonexistent/program", {}, "x", longTime, {});
        (void)runChild("sleep", {"600"}, "", {std::chrono::milliseconds(5)}, {});
    }
    CHECK(openFiles() == before);
    CHECK_FALSE(hasChildren());
}

TEST_CASE("how a child ended is part of the answer, also where its streams end before it") {
    const auto failed = runChild("sh", {"-c", "echo why >&2; exit 3"}, "", longTime, {});
    REQUIRE(failed.ok());
    CHECK(failed->messages == "why\n");
    CHECK(exitText(failed->status) == "ended with exit code 3");
    const auto late = runChild("sh", {"-c", "exec >&- 2>&-; sleep 0.1; exit 4"}, "", longTime, {});
    REQUIRE(late.ok());
    CHECK(exitText(late->status) == "ended with exit code 4");
    const auto endless =
        runChild("sh", {"-c", "exec >&- 2>&-; exec sleep 600"}, "", {std::chrono::milliseconds(50)}, {});
    REQUIRE_FALSE(endless.ok());
    CHECK(endless.error().code == "base.program_late");
    CHECK_FALSE(hasChildren());
}

TEST_CASE("output and messages are bounded") {
    ChildLimits limits = longTime;
    limits.outputBytes = 1000;
    const auto much = runChild("cat", {}, std::string(100'000, 'x'), limits, {});
    REQUIRE_FALSE(much.ok());
    CHECK(much.error().code == "base.program_failed");
    limits.messageBytes = 10;
    const auto wordy = runChild("sh", {"-c", "echo 0123456789abcdef >&2"}, "", limits, {});
    REQUIRE(wordy.ok());
    CHECK(wordy->messages == "0123456789");
}
