#include "wrapper_support.h"

using namespace aotscope;
using test::matrix;

namespace {

const std::string mlp = "        a = x @ w\n"
                        "        b = a.relu()\n"
                        "        c = b @ v\n"
                        "        return (c,)\n";

test::Compiled smallMlp(passes::Partitioner partitioner) {
    return test::compiled("x: \"f32[5, 3][3, 1]cpu\", w" + matrix + ", v: \"f32[4, 2][2, 1]cpu\"", mlp,
                          {test::plain(), test::leaf(), test::leaf()}, {.partitioner = partitioner});
}

} // namespace

TEST_CASE("backward of the caller's own graph runs the compiled backward") {
    for (const auto partitioner : {passes::Partitioner::Default, passes::Partitioner::MinCut}) {
        const steps::CallRecord record = test::called(smallMlp(partitioner));
        test::requireEager(record);
        CHECK(record.gradients.size() == 2);
        CHECK(record.outputs.at(0).gradFn == "CompiledFunctionBackward");
        CHECK(test::countEvents(record, steps::EventKind::Saving) == 1);
        CHECK(test::countEvents(record, steps::EventKind::BackwardNode) > 0);
        CHECK(test::countEvents(record, steps::EventKind::GradientAccumulation) == 2);
        const steps::WrapperCall* backward = test::passage(record, "AOTDispatchAutograd", true);
        REQUIRE(backward != nullptr);
        CHECK(backward->arguments.size() == 1);
        CHECK(backward->results.size() == 3);
        CHECK(test::did(record, "AOTDispatchAutograd", "compiled the backward", true));
    }
}

TEST_CASE("five training steps have eager's losses") {
    test::Compiled function = smallMlp(passes::Partitioner::MinCut);
    function.request.options.calls = 5;
    function.request.options.learningRate = 0.1;
    const steps::CallRecord record = test::called(function);
    test::requireEager(record);
    REQUIRE(record.eager->losses.size() == 5);
    REQUIRE(record.eager->eagerLosses.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(record.eager->losses[i] == doctest::Approx(record.eager->eagerLosses[i]).epsilon(1e-6));
    }
    CHECK(record.eager->losses[4] < record.eager->losses[0]);
    CHECK(record.events.back().call == 4);
}

TEST_CASE("three sizes go through one compile with saved symbolic integers") {
    test::Compiled function =
        test::compiled("s0: \"Sym(s0)\", x: \"f32[s0, 4][4, 1]cpu\", w: \"f32[4, 4][4, 1]cpu\"",
                       "        a = x @ w\n        mul = s0 * 2\n        b = a.view(mul, 2)\n"
                       "        c = b.sin()\n        return (c,)\n",
                       {test::plain(), test::plain(), test::leaf()}, {.hints = {{"s0", 6}}});
    for (const std::int64_t size : {3, 6, 17}) {
        function.request.options.symbols = {{"s0", size}};
        const steps::CallRecord record = test::called(function);
        test::requireEager(record);
        CHECK(record.outputs.at(0).meta->shape == ir::SymInts{size * 2, 2});
    }
}

TEST_CASE("dropout draws eager's numbers, also where the backward computes it again") {
    test::Compiled function = test::compiled("x: \"f32[64, 64][64, 1]cpu\", w: \"f32[64, 64][64, 1]cpu\"",
                                             "        a = x @ w\n"
                                             "        d = torch.nn.functional.dropout(a, 0.5, True, False)\n"
                                             "        b = d.sin()\n        return (b,)\n",
                                             {test::plain(), test::leaf()});
    test::requireEager(test::called(function));
}

TEST_CASE("tangents of another memory format are brought to the traced one") {
    // The loss's gradient of a transposed output is contiguous; the backward was traced for its strides.
    test::Compiled function = test::compiled("x" + matrix + ", w" + matrix,
                                             "        m = x * w\n        s = m.sin()\n        t = s.t()\n"
                                             "        u = t + 1\n        return (u,)\n",
                                             {test::plain(), test::leaf()});
    test::requireEager(test::called(function));
}
