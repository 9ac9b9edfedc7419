// How far the numbers of a compiled call may be from eager mode's, and random numbers.
#include "wrapper_support.h"

using namespace aotscope;

namespace {

const std::string square = ": \"f32[16, 16][16, 1]cpu\"";

const steps::ComparedValue& valueNamed(const steps::CallRecord& record, const std::string& name) {
    REQUIRE_MESSAGE(!record.error.has_value(), record.error->text());
    REQUIRE(record.eager.has_value());
    const auto found = std::ranges::find(record.eager->values, name, &steps::ComparedValue::name);
    REQUIRE(found != record.eager->values.end());
    return *found;
}

/// A dropout between two products.
test::Compiled withDropout(const test::CompileOptions& options) {
    return test::compiled("x" + square + ", w" + square + ", v" + square,
                          "        mm = x @ w\n"
                          "        gelu = torch._C._nn.gelu(mm)\n"
                          "        dropout = torch.nn.functional.dropout(gelu, 0.4, True, False)\n"
                          "        cos = dropout.cos()\n"
                          "        out = cos @ v\n"
                          "        return (out,)\n",
                          {test::plain(), test::leaf(), test::leaf()}, options);
}

} // namespace

TEST_CASE("both sides draw the same mask, and the values are equal") {
    const steps::CallRecord record = test::called(withDropout({}));
    test::requireEager(record);
    CHECK(steps::verdictOf(record).word == base::VerdictWord::Equal);
}

TEST_CASE("a mask that the backward draws again makes gradients differ, and the node is named") {
    test::CompileOptions options;
    options.budget = 0;
    const steps::CallRecord record = test::called(withDropout(options));
    CHECK(valueNamed(record, "output 0").word() == base::VerdictWord::Equal);
    const steps::ComparedValue& gradient = valueNamed(record, "gradient of v");
    CHECK(gradient.word() == base::VerdictWord::Differs);
    CHECK(*gradient.relativeError > 0.1);
    REQUIRE_FALSE(gradient.causes.empty());
    CHECK(gradient.causes.front().ends_with("is recomputed in the backward and draws other numbers"));
    CHECK(steps::verdictOf(record).word == base::VerdictWord::Differs);
}

TEST_CASE("eager mode draws what a decomposed dropout drew") {
    test::CompileOptions options;
    options.decompositions = aot::DecompositionTable::Inductor;
    const steps::CallRecord record = test::called(withDropout(options));
    test::requireEager(record);
    for (const steps::ComparedValue& value : record.eager->values) {
        CHECK(value.notComparable.empty());
    }
}

TEST_CASE("differences that cancel and exponentials are allowed what other roundings make of them") {
    test::CompileOptions options;
    options.decompositions = aot::DecompositionTable::Inductor;
    const steps::CallRecord record =
        test::called(test::compiled("x" + square + ", w" + square,
                                    "        mm = x @ w\n"
                                    "        mul = mm * 20\n"
                                    "        softmax = torch.nn.functional.softmax(mul, dim = -1)\n"
                                    "        exp = mul.exp()\n"
                                    "        sum_1 = softmax.sum(-1)\n"
                                    "        sub = sum_1 - 1\n"
                                    "        return (sub, exp)\n",
                                    {test::plain(), test::leaf()}, options));
    REQUIRE(record.eager.has_value());
    CHECK_MESSAGE(record.eager->agrees(), base::explainedVerdict(steps::verdictOf(record)));
}

TEST_CASE("a value's limit is that of its own way: a bfloat16 node elsewhere does not loosen it") {
    const steps::CallRecord record =
        test::called(test::compiled("x" + square + ", w" + square + ", v" + square,
                                    "        bfloat16 = x.to(torch.bfloat16)\n"
                                    "        to = w.to(torch.bfloat16)\n"
                                    "        narrow = bfloat16 @ to\n"
                                    "        wide = x @ v\n"
                                    "        return (narrow, wide)\n",
                                    {test::plain(), test::leaf(), test::leaf()}));
    test::requireEager(record);
    CHECK(*valueNamed(record, "output 0").allowed > 1e-3);
    CHECK(*valueNamed(record, "output 1").allowed < 1e-5);
    CHECK(*valueNamed(record, "gradient of v").allowed < 1e-5);
}
