// A log that another program truncates while it is open: the missing part is reported, and the process
// survives.
#include "load/file_bytes.h"

#include "log_text.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

using namespace aotscope::load;
using aotscope::test::record;

namespace {

// Larger than what is copied when a log is opened, so the file is mapped.
constexpr std::size_t mappedSize = 12'000'000;

std::string largeLog() {
    const std::string block = record("\"aot_joint_graph\": {}", std::string(20'000, 'x')) +
                              record("\"artifact\": {\"name\": \"a\", \"encoding\": \"string\"}", "text");
    std::string log;
    while (log.size() < mappedSize) {
        log += block;
    }
    return log;
}

} // namespace

TEST_CASE("what is missing of a mapped file reads as zeros") {
    const aotscope::test::TempFolder folder;
    const auto path = folder.write("x.log", std::string(mappedSize, 'x'));
    aotscope::base::Progress progress;
    const auto file = FileBytes::open(path, mappedSize, progress).value();
    const auto other =
        FileBytes::open(folder.write("y.log", std::string(mappedSize, 'y')), mappedSize, progress).value();
    CHECK(file->intact());
    std::filesystem::resize_file(path, 100'000);
    CHECK(!file->intact());
    const std::string_view bytes = file->bytes();
    CHECK(bytes.size() == mappedSize);
    CHECK(bytes[99'999] == 'x');
    CHECK(bytes[100'000] == '\0');
    CHECK(std::ranges::count(bytes, '\0') == std::ptrdiff_t(mappedSize - 100'000));
    // It grows again with other content: what is shown stays what it was said to be.
    std::filesystem::resize_file(path, mappedSize);
    CHECK(!file->intact());
    CHECK(other->intact());
    CHECK(std::ranges::count(other->bytes(), 'y') == std::ptrdiff_t(mappedSize));
}

TEST_CASE("of a log that is cut while it is looked at only the index is left") {
    const aotscope::test::TempFolder folder;
    const auto path = folder.write("x.log", largeLog());
    const auto log = aotscope::test::readFileOk(path);
    const auto compile = aotscope::test::compileNamed(*log, "0/0");
    std::atomic<bool> cut = false;
    std::atomic<std::size_t> looks = 0;
    std::jthread cutter([&] {
        while (looks == 0) {
            std::this_thread::yield();
        }
        std::filesystem::resize_file(path, 5'000);
        cut = true;
    });
    for (std::size_t round = 0; round < 2 || !cut; ++round) {
        const bool wasCut = cut;
        for (std::size_t i = log->recordCount(); i-- > 0;) {
            const std::string payload = log->payload(aotscope::test::recordAt(i));
            CHECK((payload.empty() || payload == "text" || payload == std::string(20'000, 'x')));
            CHECK((!wasCut || payload.empty()));
            static_cast<void>(log->stack(aotscope::test::recordAt(i)));
        }
        looks = 1;
    }
    CHECK(!log->artifacts(compile).empty());
    CHECK(log->payload(aotscope::test::recordAt(0)).empty());
}

TEST_CASE("a log that is cut and written again while it is read gives a log or an error") {
    const aotscope::test::TempFolder folder;
    const std::string content = largeLog();
    const auto path = folder.write("x.log", content);
    std::jthread writer([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::filesystem::resize_file(path, 4096);
            std::ofstream(path, std::ios::binary) << content;
        }
    });
    for (int round = 0; round < 30; ++round) {
        const auto log = TraceLog::read(path);
        const std::string code = log ? std::string() : log.error().code;
        CAPTURE(code);
        CHECK((log || code == "load.open" || code == "load.not_a_trace_log"));
    }
}
