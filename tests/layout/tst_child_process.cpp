#include "layout/child_process.h"

#include "layout/graphs.h"
#include "layout/layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace aotscope;
using namespace aotscope::layout;

namespace {

std::size_t openFiles() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::size_t(std::distance(begin(files), end(files)));
}

bool hasChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

constexpr std::chrono::duration<double> longTime(60);

/// A program that reports its start on a named pipe and never ends.
class EndlessProgram {
public:
    EndlessProgram() {
        std::string name = (std::filesystem::temp_directory_path() / "aotscope-layout-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        m_folder = name;
        REQUIRE(::mkfifo((m_folder / "started").c_str(), 0600) == 0);
        std::ofstream(m_folder / "dot")
            << "#!/bin/sh\necho $$ > " << (m_folder / "started").string() << "\nwhile :; do :; done\n";
        std::filesystem::permissions(m_folder / "dot", std::filesystem::perms::owner_all);
    }
    ~EndlessProgram() { std::filesystem::remove_all(m_folder); }
    EndlessProgram(const EndlessProgram&) = delete;
    EndlessProgram& operator=(const EndlessProgram&) = delete;

    [[nodiscard]] std::string path() const { return (m_folder / "dot").string(); }
    /// Waits until it runs; its process id.
    [[nodiscard]] pid_t waitForStart() const {
        std::ifstream started(m_folder / "started");
        pid_t pid = 0;
        started >> pid;
        return pid;
    }

private:
    std::filesystem::path m_folder;
};

} // namespace

TEST_CASE("what the child writes comes back while large input is still being fed") {
    const std::string input(20'000'000, 'x');
    const auto run = runChild("cat", {}, input, longTime, {});
    REQUIRE(run.ok());
    CHECK(run->output == input);
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
    CHECK(run.error().code == "layout.program_missing");
    CHECK_FALSE(hasChildren());
}

TEST_CASE("a child that takes too long is killed and reaped") {
    const auto run = runChild("sleep", {"600"}, "", std::chrono::duration<double>(0.05), {});
    REQUIRE_FALSE(run.ok());
    CHECK(run.error().code == "layout.program_late");
    CHECK_FALSE(hasChildren());
}

TEST_CASE("no file stays open and no child is left, however it ends") {
    const std::size_t before = openFiles();
    for (int i = 0; i < 10; ++i) {
        (void)runChild("cat", {}, "x", longTime, {});
        (void)runChild("/nonexistent/program", {}, "x", longTime, {});
        (void)runChild("sleep", {"600"}, "", std::chrono::duration<double>(0.005), {});
    }
    CHECK(openFiles() == before);
    CHECK_FALSE(hasChildren());
}

TEST_CASE("canceling in the middle of dot answers canceled and the child is gone") {
    const EndlessProgram program;
    const test::Chain chain = test::jointChain(6);
    LayoutOptions options;
    options.dotProgram = program.path();
    options.dotSeconds = 60;
    std::stop_source source;
    pid_t pid = 0;
    std::thread stopper([&] {
        pid = program.waitForStart();
        source.request_stop();
    });
    const auto result =
        computeLayout(*chain.graph, chain.modules, options, base::Progress({}, source.get_token()));
    stopper.join();
    REQUIRE_FALSE(result.ok());
    CHECK(base::isCanceled(result.error()));
    REQUIRE(pid > 0);
    CHECK(::kill(pid, 0) == -1);
    CHECK(errno == ESRCH);
    CHECK_FALSE(hasChildren());
}

TEST_CASE("a dot that hangs is given up and the note says so") {
    const test::Chain chain = test::jointChain(6);
    const EndlessProgram program;
    LayoutOptions options;
    options.dotProgram = program.path();
    options.dotSeconds = 0.05;
    const auto result = computeLayout(*chain.graph, chain.modules, options);
    REQUIRE(result.ok());
    CHECK((*result)->engine == "program order");
    CHECK((*result)->note.find("needed more than") != std::string::npos);
    CHECK_FALSE(hasChildren());
}
