// Whole runs with fused kernels of which one is wrong, and with none, in graphs whose values cancel: what
// they return is what is left of the roundings.
#include "changed_kernels.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

using namespace aotscope;

namespace {

/// exp(x) / exp(y) and exp(x - y), added up, are the same but for roundings.
ir::GraphPtr cancelling(const std::string& dtype) {
    std::string text = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[64, 16][16, 1]", y: "f32[64, 16][16, 1]"):
        exp: "f32[64, 16][16, 1]" = torch.ops.aten.exp.default(x)
        exp_1: "f32[64, 16][16, 1]" = torch.ops.aten.exp.default(y)
        div: "f32[64, 16][16, 1]" = torch.ops.aten.div.Tensor(exp, exp_1)
        cumsum: "f32[64, 16][16, 1]" = torch.ops.aten.cumsum.default(div, 1)
        sub: "f32[64, 16][16, 1]" = torch.ops.aten.sub.Tensor(x, y)
        exp_2: "f32[64, 16][16, 1]" = torch.ops.aten.exp.default(sub)
        cumsum_1: "f32[64, 16][16, 1]" = torch.ops.aten.cumsum.default(exp_2, 1)
        sub_1: "f32[64, 16][16, 1]" = torch.ops.aten.sub.Tensor(cumsum, cumsum_1)
        return (sub_1,)
)";
    for (std::size_t at = text.find("f32"); at != std::string::npos; at = text.find("f32", at + 3)) {
        text.replace(at, 3, dtype);
    }
    const auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

session::FusedRunVerdict wholeRun(const ir::GraphPtr& graph, const std::string& from = "nothing",
                                  const std::string& to = {}) {
    const auto check = test::checkedWithChange(*graph, from, to);
    REQUIRE_MESSAGE(check.ok(), check.error().text());
    REQUIRE_MESSAGE(!check->error, check->error->text());
    REQUIRE(check->wholeRun.failure.empty());
    return check->wholeRun;
}

} // namespace

TEST_CASE(
    "what roundings leave is right with other kernels, because the graph's own operators leave no less") {
    const session::FusedRunVerdict run = wholeRun(cancelling("f32"));
    CHECK_MESSAGE(run.agrees, run.difference);
    CHECK(run.explained.starts_with("value 0 is as far from float64 as the graph's own operators"));
}

TEST_CASE("a wrong kernel is wrong there too") {
    const ir::GraphPtr graph = cancelling("f32");
    for (const std::string wrong : {
             "v_exp_1 / v_exp",                                // its operands exchanged
             "v_exp / v_exp_1 * 1.00001f",                     // a little off
             "v_exp / v_exp_1 * (index_first == 512 ? 2 : 1)", // a few elements
             "v_exp / expf(v_y * 0.999f)",                     // another constant
         }) {
        CAPTURE(wrong);
        const session::FusedRunVerdict run = wholeRun(graph, "v_exp / v_exp_1", wrong);
        CHECK_FALSE(run.agrees);
        CHECK(run.explained.empty());
        CHECK(run.difference.starts_with("value 0: "));
    }
}

TEST_CASE("a single kernel in which values cancel is judged so too") {
    const auto graph = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[64, 16][16, 1]"):
        exp: "f32[64, 16][16, 1]" = torch.ops.aten.exp.default(x)
        log: "f32[64, 16][16, 1]" = torch.ops.aten.log.default(exp)
        view: "f32[1024][1]" = torch.ops.aten.view.default(log, [1024])
        view_1: "f32[1024][1]" = torch.ops.aten.view.default(x, [1024])
        sub: "f32[1024][1]" = torch.ops.aten.sub.Tensor(view, view_1)
        return (sub,)
)");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    const auto right = test::checkedWithChange(**graph, "nothing", {});
    REQUIRE_MESSAGE(right.ok(), right.error().text());
    REQUIRE(right->kernels.size() == 1);
    CHECK_MESSAGE(right->kernels[0].agrees, right->kernels[0].difference);
    CHECK(right->kernels[0].explained.starts_with("sub is as far from float64 as the graph's own operators"));
    CHECK(right->agrees());
    const auto wrong = test::checkedWithChange(**graph, "logf(v_exp)", "logf(v_exp * 1.00001f)");
    REQUIRE_MESSAGE(wrong.ok(), wrong.error().text());
    CHECK_FALSE(wrong->kernels.at(0).agrees);
    CHECK_FALSE(wrong->wholeRun.agrees);
}

TEST_CASE("in float64, which nothing is more exact than, chance roundings show what is left of them") {
    const ir::GraphPtr graph = cancelling("f64");
    const session::FusedRunVerdict run = wholeRun(graph);
    CHECK_MESSAGE(run.agrees, run.difference);
    CHECK_FALSE(wholeRun(graph, "v_exp / v_exp_1", "v_exp / v_exp_1 * (1 + 1e-12)").agrees);
}
