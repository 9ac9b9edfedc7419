#include "load/log_folder.h"

#include "log_text.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace aotscope::load;
using aotscope::test::record;
using aotscope::test::TemporaryFile;

TEST_CASE("the logs of a folder come in the order of their ranks") {
    const TemporaryFile first(record("\"x\": {}"), "dedicated_log_torch_trace_rank_10_abc.log");
    for (const char* const name :
         {"dedicated_log_torch_trace_rank_2_abc.log", "dedicated_log_torch_trace_zz.log",
          "dedicated_log_torch_trace_rank_0_abc.log.gz", "notes.txt"}) {
        std::ofstream(first.folder() / name) << record("\"x\": {}");
    }
    const auto files = logFilesIn(first.folder());
    REQUIRE(files.ok());
    std::string names;
    for (const auto& path : *files) {
        names += path.filename().string() + " ";
    }
    CHECK(names == "dedicated_log_torch_trace_rank_0_abc.log.gz dedicated_log_torch_trace_rank_2_abc.log "
                   "dedicated_log_torch_trace_rank_10_abc.log dedicated_log_torch_trace_zz.log ");
}

TEST_CASE("logs with other names are found by their first record") {
    const TemporaryFile file(record("\"x\": {}"), "mine.txt");
    std::ofstream(file.folder() / "other.txt") << "something else\n";
    const auto files = logFilesIn(file.folder());
    REQUIRE(files.ok());
    REQUIRE(files->size() == 1);
    CHECK(files->front() == file.path());
}

TEST_CASE("a folder without logs and a missing folder say what to do") {
    const TemporaryFile file("nothing", "a.txt");
    const auto none = logFilesIn(file.folder());
    REQUIRE(!none.ok());
    CHECK(none.error().code == "load.not_a_trace_log");
    const auto missing = logFilesIn(file.folder() / "missing");
    REQUIRE(!missing.ok());
    CHECK(missing.error().code == "load.open");
}

TEST_CASE("a folder whose logs may not be read says so") {
    const TemporaryFile file(record("\"x\": {}"), "trace.txt");
    std::filesystem::permissions(file.folder(), std::filesystem::perms(0755));
    std::filesystem::permissions(file.path(), std::filesystem::perms::none);
    // Root may read anything: another takes the look.
    const uid_t before = ::geteuid();
    const bool wasRoot = before == 0;
    if (wasRoot) {
        REQUIRE(::seteuid(65'534) == 0);
    }
    const auto found = logFilesIn(file.folder());
    if (wasRoot) {
        REQUIRE(::seteuid(before) == 0);
    }
    REQUIRE(!found.ok());
    CHECK(found.error().code == "load.open");
    CHECK(found.error().message.find("trace.txt: Permission denied") != std::string::npos);
}

TEST_CASE("the rank is read off the file's name") {
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_3_x1y2.log") == 3);
    CHECK(rankInFileName("/a/rank_7/dedicated_log_torch_trace_x1y2.log") == std::nullopt);
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_x.log") == std::nullopt);
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_99999999999.log") == std::nullopt);
}

/// The kernel's messages are a regular file that is waited for when there are none.
TEST_CASE("a file that would be waited for does not hold up the look into its folder") {
    const TemporaryFile file(record("\"x\": {}"), "mine.txt");
    std::error_code failed;
    std::filesystem::create_symlink("/proc/kmsg", file.folder() / "kernel.txt", failed);
    REQUIRE(!failed);
    const auto files = logFilesIn(file.folder());
    REQUIRE(files.ok());
    REQUIRE(files->size() == 1);
    CHECK(files->front() == file.path());
}
