#include "load/log_folder.h"

#include "log_text.h"

#include <doctest/doctest.h>

#include <fstream>

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

TEST_CASE("the rank is read off the file's name") {
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_3_x1y2.log") == 3);
    CHECK(rankInFileName("/a/rank_7/dedicated_log_torch_trace_x1y2.log") == std::nullopt);
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_x.log") == std::nullopt);
    CHECK(rankInFileName("dedicated_log_torch_trace_rank_99999999999.log") == std::nullopt);
}
