// The first macro has no effect if a precompiled header included doctest before, so the second is needed too.
#define DOCTEST_CONFIG_IMPLEMENT_NO_MAIN
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/corpus.h"
#include "support/skipped.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

/// The exit code for "skipped" (SKIP_RETURN_CODE in Rooms.cmake).
constexpr int skipped = 77;

// doctest creates its listeners itself, so their findings are kept here.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
/// Number of cases that ran: a filter without matches must not count as a passed test.
unsigned int ran = 0;
/// A test case without assertions must not count as passed either.
unsigned int assertedNothing = 0;
/// Why test cases did not do what they are there for.
std::vector<std::string> skipReasons;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

struct CountTestCases : doctest::IReporter {
    explicit CountTestCases(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData& data) override {
        ran = data.run_stats->numTestCasesPassingFilters;
    }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override { ran = stats.numTestCasesPassingFilters; }
    void test_case_start(const doctest::TestCaseData& data) override {
        m_name = data.m_name;
        m_skips = skipReasons.size();
    }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        if (stats.numAssertsCurrentTest == 0 && m_skips == skipReasons.size()) {
            ++assertedNothing;
            std::fprintf(stderr, "This test case asserted nothing: %s\n", m_name);
        }
    }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

private:
    const char* m_name = "";
    std::size_t m_skips = 0;
};

/// How many of the requested test cases need the corpus.
unsigned int casesThatNeedTheCorpus(int argc, char** argv) {
    std::vector<const char*> arguments(argv, argv + argc);
    arguments.push_back("--count");
    doctest::Context count(static_cast<int>(arguments.size()), arguments.data());
    std::ostringstream unread;
    count.setCout(&unread);
    count.addFilter("test-suite", "corpus");
    count.run();
    return std::exchange(ran, 0);
}

} // namespace

void aotscope::test::skip(const std::string& reason) {
    std::printf("SKIPPED: %s\n", reason.c_str());
    skipReasons.push_back(reason);
}

DOCTEST_REGISTER_LISTENER("count", 1, CountTestCases);

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    unsigned int leftOut = 0;
    if (aotscope::test::corpusMissing()) {
        leftOut = casesThatNeedTheCorpus(argc, argv);
        context.addFilter("test-suite-exclude", "corpus");
    }
    const int result = context.run();
    if (result != 0 || context.shouldExit()) {
        return result;
    }
    if (ran == 0 && leftOut == 0) {
        std::fprintf(stderr, "no test case fits the filter\n");
        return 2;
    }
    if (assertedNothing > 0) {
        return 1;
    }
    if (leftOut > 0) {
        std::printf("SKIPPED: %u test cases need the corpus, which is not at %s\n", leftOut,
                    aotscope::test::corpusDir().c_str());
        return skipped;
    }
    if (!skipReasons.empty()) {
        return skipped;
    }
    return 0;
}
