// The first of the two is only looked at where the header was not read before, as a precompiled one is.
#define DOCTEST_CONFIG_IMPLEMENT_NO_MAIN
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

/// Counts what ran: a filter that fits no test case must not look like a test that passed.
unsigned int ran =
    0; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): doctest makes its listeners

struct CountTestCases : doctest::IReporter {
    explicit CountTestCases(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override { ran = stats.numTestCasesPassingFilters; }
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

} // namespace

DOCTEST_REGISTER_LISTENER("count", 1, CountTestCases);

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int result = context.run();
    if (result == 0 && ran == 0 && !context.shouldExit()) {
        std::fprintf(stderr, "no test case fits the filter\n");
        return 2;
    }
    return result;
}
