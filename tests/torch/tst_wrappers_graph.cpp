#include "wrapper_support.h"

#include "ir/graph_builder.h"

using namespace aotscope;
using test::matrix;

namespace {

test::Compiled doubled() {
    return test::compiled("x" + matrix, "        mul = x * 2\n        return (mul,)\n", {test::plain()});
}

} // namespace

TEST_CASE("effect tokens go in first and are dropped from the results") {
    test::Compiled function = doubled();
    function.request.function.graph =
        test::graphOf("token: \"f32[0][1]cpu\", x" + matrix, "        mul: \"f32[3, 4][4, 1]cpu\" = "
                                                             "torch.ops.aten.mul.Tensor(x, 2)\n"
                                                             "        return (token, mul)\n");
    {
        ir::GraphBuilder graph(*function.function().graph);
        graph.editMeta(graph.placeholders().front()).descriptors = {
            {ir::AOTInput(ir::ForwardTokenAOTInput{0})}};
        function.request.function.graph = graph.finish();
    }
    function.wrapper<aot::EffectTokensWrapper>().tokens = 1;
    const steps::CallRecord record = test::called(function);
    test::requireEager(record);
    const steps::WrapperCall* tokens = test::passage(record, "EffectTokensWrapper");
    REQUIRE(tokens != nullptr);
    CHECK(tokens->arguments.size() == 1);
    CHECK(tokens->passedOn.size() == 2);
    CHECK(tokens->received.size() == 2);
    CHECK(tokens->results.size() == 1);
}

TEST_CASE("the generator's seed and offset go in last and the new offset is dropped") {
    test::Compiled function = doubled();
    function.request.options.compareWithEager = false;
    function.request.function.graph =
        test::graphOf("x" + matrix + ", seed: \"i64[][]cpu\", offset: \"i64[][]cpu\"",
                      "        mul: \"f32[3, 4][4, 1]cpu\" = torch.ops.aten.mul.Tensor(x, 2)\n"
                      "        add: \"i64[][]cpu\" = torch.ops.aten.add.Tensor(offset, 4)\n"
                      "        return (mul, add)\n");
    auto& rng = function.wrapper<aot::FunctionalizedRngRuntimeWrapper>();
    rng.returnNewOuts = true;
    rng.offsetIndex = 1;
    function.request.options.calls = 2;
    const steps::CallRecord record = test::called(function);
    REQUIRE_MESSAGE(!record.error, record.error->text());
    const steps::WrapperCall* wrapper = test::passage(record, "FunctionalizedRngRuntimeWrapper");
    REQUIRE(wrapper != nullptr);
    CHECK(wrapper->arguments.size() == 1);
    CHECK(wrapper->passedOn.size() == 3);
    CHECK(wrapper->results.size() == 1);
    CHECK(record.outputs.size() == 1);
}

TEST_CASE("the first call returns tensors without data, later calls the results") {
    test::Compiled function = doubled();
    function.request.options.compareWithEager = false;
    (void)function.wrapper<aot::FakifiedOutWrapper>();
    const steps::CallRecord first = test::called(function);
    REQUIRE(first.outputs.size() == 1);
    CHECK(first.outputs[0].meta->device->type == "meta");
    CHECK(first.outputs[0].meta->shape == ir::SymInts{3, 4});
    function.request.options.calls = 2;
    const steps::CallRecord second = test::called(function);
    REQUIRE(second.outputs.size() == 1);
    CHECK(second.outputs[0].meta->device->type == "cpu");
}

TEST_CASE("a function without gradients runs with grad mode off, and its record has every event") {
    const test::Compiled function = doubled();
    const steps::CallRecord record = test::called(function);
    test::requireEager(record);
    CHECK(test::countEvents(record, steps::EventKind::WrapperEntry) == 1);
    CHECK(test::countEvents(record, steps::EventKind::WrapperExit) == 1);
    CHECK(test::countEvents(record, steps::EventKind::ForwardNode) == 1);
    CHECK(test::countEvents(record, steps::EventKind::BackwardNode) == 0);
    CHECK(record.events.front().kind == steps::EventKind::WrapperEntry);
    CHECK(record.events.back().kind == steps::EventKind::WrapperExit);
    CHECK(record.wrappers.front().name == "RuntimeWrapper");
    CHECK(record.wrappers.front().entry == 0);
    CHECK(record.wrappers.front().exit == record.events.size() - 1);
}
