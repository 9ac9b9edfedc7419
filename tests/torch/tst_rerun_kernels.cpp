// Fused kernels run again and again with the real inputs of their nodes: as generated, and with a changed
// text.
#include "rerun_support.h"

#include "kernels/fusion_plan.h"

#include <algorithm>

using namespace aotscope;
using test::changedText;
using test::graphOf;
using test::outputOf;
using test::refused;
using test::requestOf;
using test::reran;

namespace {

/// 2 max(x + y, 0), which is one kernel.
ir::GraphPtr fusedGraph() {
    return graphOf("x: \"f32[4]\", y: \"f32[4]\"", R"(
        add: "f32[4]" = torch.ops.aten.add.Tensor(x, y)
        relu: "f32[4]" = torch.ops.aten.relu.default(add)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(relu, 2)
        return (mul,)
)");
}

session::RerunRequest kernelRequest(const std::string& source) {
    const auto inputs = test::withInputs(
        {{"x", test::floats({4}, {1, 2, 3, 4})}, {"y", test::floats({4}, {10, 20, 30, 40})}});
    auto request = requestOf(fusedGraph(), {"add", "relu", "mul"}, inputs);
    request.kernel = session::RerunKernel{source};
    return request;
}

std::string generatedSource() {
    const kernels::FusionPlan plan = kernels::planFusion(*fusedGraph());
    REQUIRE(plan.groups.size() == 1);
    return plan.groups[0].kernel.source;
}

} // namespace

TEST_CASE("a fused kernel makes of the real inputs what its operators make") {
    const session::RerunResult result = reran(kernelRequest({}));
    REQUIRE(result.build);
    CHECK_FALSE(result.build->isRefused());
    CHECK(test::numbers<float>(result.outputData[0]) == std::vector<float>{22, 44, 66, 88});
    CHECK(outputOf(result, "mul").fromRun->max == 0);
    auto other = kernelRequest({});
    other.nodes = {"add"};
    CHECK(refused(other).code == "rerun.no_such_group");
    auto twisted = kernelRequest({});
    twisted.settings.changes.dtype = ir::DType::Float64;
    CHECK(refused(twisted).code == "rerun.twist");
}

TEST_CASE("a fused kernel reads numbers whose signs change only when they are read") {
    const auto graph = graphOf("x: \"f32[4]\"", R"(
        _neg_view: "f32[4]" = torch.ops.aten._neg_view.default(x)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(_neg_view, 2)
        return (mul,)
)");
    auto request = requestOf(graph, {"mul"}, test::withInputs({{"x", test::floats({4}, {1, 2, 3, 4})}}));
    request.kernel = session::RerunKernel{};
    const session::RerunResult result = reran(request);
    CHECK(test::numbers<float>(result.outputData[0]) == std::vector<float>{-2, -4, -6, -8});
}

TEST_CASE("a changed text of a kernel shows its error, and the compiler's words at its lines") {
    const std::string source = generatedSource();
    const session::RerunResult result = reran(kernelRequest(changedText(source, "v_x + v_y", "v_x - v_y")));
    // 2 max(x - y, 0) is 0 everywhere.
    CHECK(test::numbers<float>(result.outputData[0]) == std::vector<float>{0, 0, 0, 0});
    CHECK(outputOf(result, "mul").fromRun->max == 88);
    CHECK(outputOf(result, "mul").fromRun->mean == 55);
    CHECK(outputOf(result, "mul").fromRun->relative == 1);

    const std::string wrong = changedText(source, "v_x + v_y", "v_x + v_z");
    const auto lineOfError =
        std::count(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(wrong.find("v_z")), '\n') + 1;
    const auto made = test::backend().answer(kernelRequest(wrong));
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    CHECK(made->samples.empty());
    REQUIRE(made->build);
    CHECK(made->build->isRefused());
    CHECK(made->build->messages[0].line == static_cast<std::size_t>(lineOfError));
    CHECK(made->build->messages[0].text.find("v_z") != std::string::npos);
}

TEST_CASE("a changed text that crashes is an error, and the next one runs") {
    const std::string crashing =
        changedText(generatedSource(), "out0_lanes[lane] = v_mul;", "__builtin_trap();");
    CHECK(refused(kernelRequest(crashing)).code == "remote.ended");
    const std::string good = changedText(generatedSource(), "* 2.0f", "* 4.0f");
    CHECK(outputOf(reran(kernelRequest(good)), "mul").fromRun->max == 88);
}
