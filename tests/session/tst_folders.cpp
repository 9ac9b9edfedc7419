#include "support/temp_folder.h"

#include "session/session.h"

#include "load/log_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

using namespace aotscope;

namespace {

/// The snapshots sent while a folder is opened, in order.
std::vector<session::EventBody> opened(const std::filesystem::path& folder) {
    session::Session session;
    std::vector<session::EventBody> bodies;
    session.execute(session::OpenLogs{{folder}, false},
                    [&](session::EventBody body) { bodies.push_back(std::move(body)); }, {});
    return bodies;
}

const char* const record =
    "V1121 00:13:53.025000 22725 torch/a.py:1] {\"dynamo_start\": {}, \"frame_id\": 0, "
    "\"frame_compile_id\": 0, \"attempt\": 0}\n";

} // namespace

TEST_CASE("of a folder with too many files what was found is opened, and that there may be more is said") {
    const test::TempFolder folder;
    folder.write("a.log", record);
    const auto inner = folder.path() / "inner";
    std::filesystem::create_directory(inner);
    for (std::size_t i = 0; i < load::FolderBounds().entries; ++i) {
        const std::ofstream empty(inner / std::to_string(i));
    }
    const std::vector<session::EventBody> bodies = opened(folder.path());
    std::size_t logs = 0;
    for (const session::EventBody& body : bodies) {
        const auto* log = std::get_if<session::LogSnapshotPtr>(&body);
        logs += log && (*log)->complete ? 1 : 0;
    }
    CHECK(logs == 1);
    const auto* failed = std::get_if<session::Failed>(&bodies.back());
    REQUIRE(failed);
    CHECK(failed->error.code == "session.large_folder");
    CHECK(failed->error.message.starts_with(folder.path().string()));
}

TEST_CASE("what is found in a folder and opened is all there is to say") {
    const test::TempFolder folder;
    folder.write("a.log", record);
    CHECK(std::holds_alternative<session::Finished>(opened(folder.path()).back()));
}
