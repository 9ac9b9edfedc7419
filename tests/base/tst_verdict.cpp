#include "base/verdict.h"

#include <doctest/doctest.h>

namespace {

using namespace aotscope::base;

TEST_CASE("each verdict has a word of its own, and is found by it") {
    for (const VerdictWord word :
         {VerdictWord::Equal, VerdictWord::EqualUpToNames, VerdictWord::Differs,
          VerdictWord::EqualUnderDefault, VerdictWord::NotComparable, VerdictWord::NotSupported}) {
        CHECK(fromWord<VerdictWord>(wordOf(word)) == word);
    }
    CHECK(wordOf(VerdictWord::EqualUpToNames) == "equal up to names");
    CHECK_FALSE(fromWord<VerdictWord>("same"));
}

TEST_CASE("only the equal ones count as equal") {
    CHECK(Verdict{VerdictWord::Equal}.isEqual());
    CHECK(Verdict{VerdictWord::EqualUpToNames}.isEqual());
    CHECK_FALSE(Verdict{VerdictWord::Differs}.isEqual());
    CHECK_FALSE(Verdict{VerdictWord::EqualUnderDefault}.isEqual());
    CHECK_FALSE(Verdict{}.isEqual());
}

TEST_CASE("an explained verdict says what was compared, what was not, and under what") {
    Verdict verdict{VerdictWord::NotComparable, "random"};
    verdict.compared = {"output 0"};
    verdict.notCompared = {"output 1: random"};
    verdict.configuration = {"cse = True (from the log)"};
    CHECK(verdictText(verdict) == "not comparable: random");
    CHECK(explainedVerdict(verdict) == "not comparable: random\n"
                                       "  compared:\n    output 0\n"
                                       "  not compared:\n    output 1: random\n"
                                       "  configuration:\n    cse = True (from the log)\n");
}

} // namespace
