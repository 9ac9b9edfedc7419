#pragma once

#include <string>

namespace aotscope::test {

/// For a test case that needs what this machine does not have (NVRTC, a GPU): it says what and returns. If
/// none fails, ctest then counts the test as skipped and not as passed (support/doctest_main.cpp).
void skip(const std::string& reason);

} // namespace aotscope::test
