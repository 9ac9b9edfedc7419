// Starting the window's program on a machine without a display.
#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace aotscope;

namespace {

test::Ran start(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope");
    for (const char* const variable : {"DISPLAY=", "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM="}) {
        environment.emplace_back(variable);
    }
    return test::runChild(std::move(arguments), environment);
}

} // namespace

TEST_CASE("help and version need no display") {
    const test::Ran help = start({"--help"});
    CHECK(help.code == 0);
    CHECK(test::contains(help.out, "--screenshot"));
    const test::Ran version = start({"--version"});
    CHECK(version.code == 0);
    CHECK(test::contains(version.out, "aotscope"));
}

TEST_CASE("without a display the window says so and names the command line") {
    const test::Ran ran = start({"some.log"});
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(test::contains(ran.err, "no display"));
    CHECK(test::contains(ran.err, "aotscope-cli open"));
}

TEST_CASE("a display that cannot be reached is told with what to do") {
    const test::Ran ran = start({"some.log"}, {"DISPLAY=:4711"});
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.starts_with("The window cannot be shown: the display “:4711”"));
    CHECK(test::contains(ran.err, "aotscope-cli open"));
    CHECK(start({"--version"}, {"DISPLAY=:4711"}).code == 0);
}

TEST_CASE("a platform Qt does not have is told the same way") {
    const test::Ran ran = start({"some.log"}, {"QT_QPA_PLATFORM=none_such"});
    CHECK(ran.code == 2);
    CHECK(test::contains(ran.err, "none_such"));
}

TEST_CASE("what the command line does not take is refused") {
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"--size", "wide"}, {"--theme", "pink"}}) {
        const test::Ran ran = start(arguments, {"QT_QPA_PLATFORM=offscreen"});
        CHECK(ran.code == 2);
        CHECK(test::contains(ran.err, arguments.back()));
    }
}

TEST_CASE("a picture is saved of a log, and of a profiler's trace that comes without a graph") {
    const test::TempFolder folder;
    for (const char* const file :
         {"/resources/sample/transformer_encoder_layer.log", "/tests/timeline/gpu_trace.json"}) {
        const auto picture = folder.path() / "window.png";
        std::filesystem::remove(picture);
        const test::Ran ran =
            start({"--screenshot", picture.string(), std::string(AOTSCOPE_SOURCE_DIR) + file},
                  {"QT_QPA_PLATFORM=offscreen", "HOME=" + folder.path().string()});
        CHECK_MESSAGE(ran.code == 0, ran.err);
        CHECK(std::filesystem::exists(picture));
    }
}
