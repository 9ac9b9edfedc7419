#include "load/log_folder.h"

#include "log_text.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stop_token>

#include <sys/stat.h>
#include <unistd.h>

using namespace aotscope::load;
using aotscope::base::Progress;
using aotscope::base::ProgressState;
using aotscope::test::record;
using aotscope::test::TemporaryFile;

namespace {

aotscope::base::Result<LogFiles> look(const std::filesystem::path& folder, const FolderBounds& bounds = {}) {
    Progress progress;
    return logFilesIn(folder, progress, bounds);
}

std::string namesOf(const LogFiles& files, const std::filesystem::path& folder) {
    std::string names;
    for (const auto& path : files.paths) {
        names += std::filesystem::relative(path, folder).string() + " ";
    }
    return names;
}

} // namespace

TEST_CASE("the logs of a folder come in the order of their ranks") {
    const TemporaryFile first(record("\"x\": {}"), "dedicated_log_torch_trace_rank_10_abc.log");
    for (const char* const name :
         {"dedicated_log_torch_trace_rank_2_abc.log", "dedicated_log_torch_trace_zz.log",
          "dedicated_log_torch_trace_rank_0_abc.log.gz", "notes.txt"}) {
        std::ofstream(first.folder() / name) << record("\"x\": {}");
    }
    const auto files = look(first.folder());
    REQUIRE(files.ok());
    CHECK(namesOf(*files, first.folder()) ==
          "dedicated_log_torch_trace_rank_0_abc.log.gz dedicated_log_torch_trace_rank_2_abc.log "
          "dedicated_log_torch_trace_rank_10_abc.log dedicated_log_torch_trace_zz.log ");
}

TEST_CASE("logs with other names are found by their first record") {
    const TemporaryFile file(record("\"x\": {}"), "mine.txt");
    std::ofstream(file.folder() / "other.txt") << "something else\n";
    const auto files = look(file.folder());
    REQUIRE(files.ok());
    REQUIRE(files->paths.size() == 1);
    CHECK(files->paths.front() == file.path());
}

TEST_CASE("a folder without logs and a missing folder say what to do") {
    const TemporaryFile file("nothing", "a.txt");
    const auto none = look(file.folder());
    REQUIRE(!none.ok());
    CHECK(none.error().code == "load.not_a_trace_log");
    const auto missing = look(file.folder() / "missing");
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
    const auto found = look(file.folder());
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

/// Reading /proc/kmsg, a regular file, blocks while there are no kernel messages.
TEST_CASE("a file that would be waited for does not hold up the look into its folder") {
    const TemporaryFile file(record("\"x\": {}"), "mine.txt");
    std::error_code failed;
    std::filesystem::create_symlink("/proc/kmsg", file.folder() / "kernel.txt", failed);
    REQUIRE(!failed);
    const auto files = look(file.folder());
    REQUIRE(files.ok());
    REQUIRE(files->paths.size() == 1);
    CHECK(files->paths.front() == file.path());
}

TEST_CASE("the logs of a folder come before those of the folders in it") {
    const TemporaryFile file(record("\"x\": {}"), "m.log");
    for (const char* const name : {"b/x.log", "b/a/x.log", "a/x.log", "c/x.log"}) {
        std::filesystem::create_directories((file.folder() / name).parent_path());
        std::ofstream(file.folder() / name) << record("\"x\": {}");
    }
    const auto files = look(file.folder());
    REQUIRE(files.ok());
    CHECK(namesOf(*files, file.folder()) == "m.log a/x.log b/x.log b/a/x.log c/x.log ");
    CHECK(!files->isCut);
}

TEST_CASE("looking through folders can be canceled at any file, and says where it is") {
    const TemporaryFile file(record("\"x\": {}"), "m.log");
    for (const char* const inner : {"first", "second"}) {
        std::filesystem::create_directory(file.folder() / inner);
        for (int i = 0; i < 100; ++i) {
            std::ofstream(file.folder() / inner / std::to_string(i)) << "nothing";
        }
    }
    std::stop_source stop;
    std::string last;
    Progress progress(
        [&](const ProgressState& state) {
            CHECK(state.stage == "Looking for trace logs");
            last = state.detail;
            stop.request_stop();
        },
        stop.get_token());
    const auto files = logFilesIn(file.folder(), progress);
    REQUIRE(!files.ok());
    CHECK(files.error().code == "session.canceled");
    CHECK(last == file.folder());
}

TEST_CASE("a folder of very many files is looked through as far as the bounds go, and says so") {
    const TemporaryFile file(record("\"x\": {}"), "m.log");
    std::filesystem::create_directory(file.folder() / "inner");
    for (int i = 0; i < 50; ++i) {
        std::ofstream(file.folder() / "inner" / std::to_string(i)) << "nothing";
    }
    const auto some = look(file.folder(), {.entries = 20});
    REQUIRE(some.ok());
    CHECK(some->isCut);
    CHECK(namesOf(*some, file.folder()) == "m.log ");
    const auto all = look(file.folder(), {.entries = 52});
    REQUIRE(all.ok());
    CHECK(!all->isCut);
    const auto none = look(file.folder() / "inner", {.entries = 20});
    REQUIRE(!none.ok());
    CHECK(none.error().message.ends_with("holds no trace log among the first 20 files and folders in it"));
}

TEST_CASE("folders too deep are not looked into, and it says how deep was looked") {
    const TemporaryFile file("nothing", "a.txt");
    const auto deep = file.folder() / "1" / "2" / "3";
    std::filesystem::create_directories(deep);
    std::ofstream(deep / "m.log") << record("\"x\": {}");
    CHECK(look(file.folder(), {.depth = 3}).ok());
    const auto none = look(file.folder(), {.depth = 2});
    REQUIRE(!none.ok());
    CHECK(none.error().code == "load.not_a_trace_log");
    CHECK(none.error().message.ends_with("holds no trace log down to 2 folders deep"));
}

TEST_CASE("links to folders are not followed, and a pipe is not waited for") {
    const TemporaryFile file(record("\"x\": {}"), "m.log");
    const auto inner = file.folder() / "inner";
    std::filesystem::create_directory(inner);
    std::filesystem::create_directory_symlink(file.folder(), inner / "up");
    REQUIRE(::mkfifo((inner / "pipe").c_str(), 0600) == 0);
    const auto files = look(file.folder());
    REQUIRE(files.ok());
    CHECK(namesOf(*files, file.folder()) == "m.log ");
}

TEST_CASE("what the kernel shows as files is no folder of logs") {
    if (!std::filesystem::exists("/proc/self/maps")) {
        MESSAGE("skipped: there is no /proc");
        return;
    }
    std::string lookedInto;
    Progress progress([&](const ProgressState& state) { lookedInto = state.detail; }, {});
    const auto files = logFilesIn("/proc", progress);
    REQUIRE(!files.ok());
    CHECK(files.error().code == "load.not_a_trace_log");
    CHECK(lookedInto.empty());
}

TEST_CASE("a log is found behind long lines that are none of its own") {
    const TemporaryFile file(std::string(10'000, '#') + "\n" + record("\"x\": {}"), "m.txt");
    CHECK(look(file.folder()).ok());
    std::ofstream(file.path()) << std::string(100'000, '#') + "\n" + record("\"x\": {}");
    CHECK(!look(file.folder()).ok());
}

TEST_CASE("a packed file that holds something else is no log, whatever it is called") {
    const TemporaryFile file("something else\n", "check.log.gz");
    CHECK(look(file.folder()).error().code == "load.not_a_trace_log");
    // Cut right behind its magic: nothing of it can be unpacked, so nobody can tell.
    std::ofstream(file.path()) << "\x1f\x8b";
    CHECK(look(file.folder()).ok());
}
