#pragma once

#include "support/corpus.h"

#include <doctest/doctest.h>

namespace aotscope::test {

/// `TEST_CASE("name" * needsCorpus())`: the case is left out if there is no corpus, and ctest counts the test
/// as skipped (support/doctest_main.cpp).
[[nodiscard]] inline doctest::test_suite needsCorpus() {
    return doctest::test_suite("corpus");
}

} // namespace aotscope::test
