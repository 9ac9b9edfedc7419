#pragma once

#include "timeline/chrome_trace_read.h"

#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace aotscope::test {

inline std::filesystem::path timelineFile(std::string_view name) {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "timeline" / name;
}

inline std::string textOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Reads a text as a file.
inline base::Result<timeline::TimelinePtr> readText(std::string_view text) {
    const TempFolder folder;
    return timeline::readChromeTrace(folder.write("trace.json", text));
}

inline timeline::TimelinePtr readGood(std::string_view text) {
    auto read = readText(text);
    REQUIRE(read.ok());
    return *read;
}

/// The first event of that name; fails the test if there is none.
inline timeline::EventId eventOf(const timeline::Timeline& timeline, std::string_view name) {
    for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
        for (std::uint32_t index = 0; index < timeline.rows()[row]->size(); ++index) {
            if (timeline.name({row, index}) == name) {
                return {row, index};
            }
        }
    }
    FAIL("no event named ", name);
    return {};
}

inline std::string argumentOf(const timeline::Timeline& timeline, timeline::EventId event,
                              std::string_view name) {
    for (const timeline::Argument& argument : timeline.arguments(event)) {
        if (argument.name == name) {
            return argument.value;
        }
    }
    return {};
}

} // namespace aotscope::test
