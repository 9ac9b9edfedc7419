#include "steps/call_record.h"

#include <doctest/doctest.h>

using namespace aotscope;
using steps::ComparedValue;
using steps::EagerCallComparison;

namespace {

ComparedValue valueOf(const std::string& name, double apart, double allowed) {
    ComparedValue value;
    value.name = name;
    value.relativeError = apart;
    value.allowed = allowed;
    value.limit = "4 roundings of f32";
    value.agrees = apart <= allowed;
    return value;
}

} // namespace

TEST_CASE("a call is equal when every value is, and says each value's limit") {
    EagerCallComparison eager;
    eager.values = {valueOf("output 0", 0, 2e-7), valueOf("gradient of x", 1e-7, 2e-7)};
    const base::Verdict verdict = eager.verdict();
    CHECK(verdict.word == base::VerdictWord::Equal);
    CHECK(verdict.compared.size() == 2);
    CHECK(verdict.tolerances.at(1) == "gradient of x: 2e-07, 4 roundings of f32");
    CHECK(eager.agrees());
}

TEST_CASE("a value that differs decides, and is named with its cause") {
    EagerCallComparison eager;
    eager.values = {valueOf("output 0", 0, 2e-7), valueOf("gradient of x", 0.003, 2e-7)};
    eager.values[1].causes = {"computed in bf16 by mm_1, which eager mode does not"};
    const base::Verdict verdict = eager.verdict();
    CHECK(verdict.word == base::VerdictWord::Differs);
    CHECK(verdict.reason ==
          "gradient of x: 0.003 of the largest magnitude apart, 2e-07 allowed (4 roundings of f32); computed "
          "in bf16 by mm_1, which eager mode does not");
    CHECK_FALSE(eager.agrees());
}

TEST_CASE("a value whose numbers decide nothing makes the call not comparable, unless another differs") {
    EagerCallComparison eager;
    eager.values = {valueOf("output 0", 0, 2e-7), valueOf("output 1", 0.5, 2e-7)};
    eager.values[1].notComparable = "random: it depends on rand";
    eager.values[1].agrees = true;
    base::Verdict verdict = eager.verdict();
    CHECK(verdict.word == base::VerdictWord::NotComparable);
    CHECK(verdict.notCompared.size() == 1);
    CHECK(verdict.compared.size() == 1);
    CHECK(eager.agrees());
    eager.values[0] = valueOf("output 0", 1, 2e-7);
    verdict = eager.verdict();
    CHECK(verdict.word == base::VerdictWord::Differs);
}

TEST_CASE("a call that fails is not supported, differs or is not comparable") {
    steps::CallRecord record;
    record.error = base::Error{"call.unsupported", "Tensor subclasses are not supported."};
    CHECK(steps::verdictOf(record).word == base::VerdictWord::NotSupported);
    record.error = base::Error{"run.operator_failed", "It failed."};
    record.eager.emplace();
    record.eager->skipped = "In eager mode the program fails too: It failed.";
    CHECK(steps::verdictOf(record).word == base::VerdictWord::NotComparable);
    record.eager->onlyCompiledFails = true;
    CHECK(steps::verdictOf(record).word == base::VerdictWord::Differs);
}
