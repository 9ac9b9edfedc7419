#pragma once

#include <cstddef>
#include <cstdlib>

namespace aotscope::test {

/// Whether the test that runs has the input of this number. ctest runs a test of many minutes in parts
/// (aotscope_test(… PARTS n)), which share its inputs by their numbers; run by hand a test has them all.
[[nodiscard]] inline bool isInThisPart(std::size_t input) {
    const char* given = std::getenv("AOTSCOPE_TEST_PART");
    if (given == nullptr) {
        return true;
    }
    char* end = nullptr;
    const std::size_t part = std::strtoul(given, &end, 10);
    const std::size_t parts = *end == '/' ? std::strtoul(end + 1, nullptr, 10) : 1;
    return parts == 0 || input % parts + 1 == part;
}

} // namespace aotscope::test
