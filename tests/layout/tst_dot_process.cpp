#include "layout/graphs.h"
#include "layout/layout.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace aotscope;
using namespace aotscope::layout;

namespace {

bool hasChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

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
