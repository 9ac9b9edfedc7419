// Graphs beside a float64 reference: what rounds as its dtype does is explained, a wrong op is found where it
// is.
#include "run_support.h"
#include "support/corpus.h"
#include "support/corpus_case.h"

#include <algorithm>
#include <cmath>

using namespace aotscope;
using session::NodeVerdict;
using test::graphOf;

namespace {

session::ReferenceSnapshot comparedWith(const ir::GraphPtr& graph, const ir::GraphPtr& against,
                                        const session::RunOptions& options = {}) {
    auto compared = test::backend().answer(session::ReferenceCall{graph, against, options});
    REQUIRE_MESSAGE(compared.ok(), compared.error().text());
    CHECK_MESSAGE(!compared->error, compared->error->text());
    return std::move(compared).value();
}

session::ReferenceSnapshot comparedWithItself(const ir::GraphPtr& graph,
                                              const session::RunOptions& options = {}) {
    return comparedWith(graph, graph, options);
}

const session::NodeError& errorOf(const session::ReferenceSnapshot& compared, const ir::GraphPtr& graph,
                                  std::string_view name) {
    const auto found = std::ranges::find_if(
        compared.nodes, [&](const auto& error) { return graph->node(error.node).name == name; });
    REQUIRE(found != compared.nodes.end());
    return *found;
}

std::string firstWrong(const session::ReferenceSnapshot& compared, const ir::GraphPtr& graph) {
    return compared.firstWrong ? graph->node(compared.nodes[*compared.firstWrong].node).name : std::string();
}

} // namespace

TEST_CASE("a graph of exact operators has no error") {
    const auto graph = graphOf("x: \"f32[4]\"", R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, 2)
        neg: "f32[4]" = torch.ops.aten.neg.default(mul)
        gt: "b8[4]" = torch.ops.aten.gt.Scalar(neg, 0)
        return (neg, gt)
)");
    const auto compared = comparedWithItself(graph);
    REQUIRE(compared.nodes.size() == 3);
    for (const session::NodeError& error : compared.nodes) {
        CHECK(error.verdict == NodeVerdict::Explained);
        CHECK(error.total.absolute == 0);
    }
}

TEST_CASE("the rounding of a node and the errors of its inputs are told apart") {
    const auto graph = graphOf("x: \"f32[1]\"", R"(
        div: "f32[1]" = torch.ops.aten.div.Tensor(x, 3)
        mul: "f32[1]" = torch.ops.aten.mul.Tensor(div, 4)
        _to_copy: "bf16[1]" = torch.ops.aten._to_copy.default(mul, dtype = torch.bfloat16)
        return (_to_copy,)
)");
    const auto compared = comparedWithItself(graph, test::withInputs({{"x", test::floats({1}, {1})}}));
    const session::NodeError& div = errorOf(compared, graph, "div");
    const double rounding = std::abs(double(1.0F / 3.0F) - 1.0 / 3.0);
    CHECK(div.own.absolute == doctest::Approx(rounding));
    CHECK(div.total.absolute == doctest::Approx(rounding));
    CHECK(div.inherited.absolute == 0);
    CHECK(div.own.ulps == doctest::Approx(rounding / std::ldexp(1.0, -25)));
    CHECK(div.own.ulps <= 0.5);
    // Four times is exact: all of the error comes from the input.
    const session::NodeError& mul = errorOf(compared, graph, "mul");
    CHECK(mul.own.absolute == 0);
    CHECK(mul.inherited.absolute == doctest::Approx(4 * rounding));
    // In exact arithmetic a cast changes nothing: the reference goes on with 4/3.
    const session::NodeError& cast = errorOf(compared, graph, "_to_copy");
    CHECK(cast.dtype == "bfloat16");
    CHECK(cast.total.absolute == doctest::Approx(std::abs(1.3359375 - 4.0 / 3.0)));
    CHECK(compared.count(NodeVerdict::Wrong) == 0);
}

TEST_CASE("a wrong constant or operator is the first wrong op, not what follows from it") {
    const char* parameters = "x: \"f32[16, 16]\", w: \"f32[16, 16]\"";
    const auto body = [](const std::string& scale, const std::string& activation) {
        return R"(
        mm: "f32[16, 16]" = torch.ops.aten.mm.default(x, w)
        mul: "f32[16, 16]" = torch.ops.aten.mul.Tensor(mm, )" +
               scale + R"()
        act: "f32[16, 16]" = torch.ops.aten.)" +
               activation + R"(.default(mul)
        sum_1: "f32[16]" = torch.ops.aten.sum.dim_IntList(act, [1])
        exp: "f32[16]" = torch.ops.aten.exp.default(sum_1)
        return (exp,)
)";
    };
    const auto right = graphOf(parameters, body("0.25", "sigmoid"));
    CHECK(firstWrong(comparedWith(right, right), right).empty());
    const auto wrongScale = graphOf(parameters, body("0.2501", "sigmoid"));
    const auto compared = comparedWith(wrongScale, right);
    CHECK(firstWrong(compared, wrongScale) == "mul");
    // What follows computes rightly on what it gets.
    CHECK(compared.count(NodeVerdict::Wrong) == 1);
    CHECK(errorOf(compared, wrongScale, "act").total.absolute > 1e-6);
    const auto wrongOperator = graphOf(parameters, body("0.25", "tanh"));
    CHECK(firstWrong(comparedWith(wrongOperator, right), wrongOperator) == "act");
}

TEST_CASE("a wrong view is found, and a node without a counterpart is not judged") {
    const auto right = graphOf("x: \"f32[3, 3]\"", R"(
        permute: "f32[3, 3]" = torch.ops.aten.permute.default(x, [1, 0])
        neg: "f32[3, 3]" = torch.ops.aten.neg.default(permute)
        return (neg,)
)");
    const auto wrong = graphOf("x: \"f32[3, 3]\"", R"(
        permute: "f32[3, 3]" = torch.ops.aten.permute.default(x, [0, 1])
        negative: "f32[3, 3]" = torch.ops.aten.neg.default(permute)
        return (negative,)
)");
    const auto compared = comparedWith(wrong, right);
    CHECK(firstWrong(compared, wrong) == "permute");
    CHECK(errorOf(compared, wrong, "negative").verdict == NodeVerdict::NotChecked);
}

TEST_CASE("random numbers are the run's own, and what follows is compared") {
    const auto graph = graphOf("x: \"f32[64]\"", R"(
        rand: "f32[64]" = torch.ops.aten.rand.default([64], dtype = torch.float32, device = device(type='cpu'), pin_memory = False)
        gt: "b8[64]" = torch.ops.aten.gt.Scalar(rand, 0.1)
        mul: "f32[64]" = torch.ops.aten.mul.Tensor(gt, x)
        return (mul,)
)");
    const auto compared = comparedWithItself(graph);
    CHECK(errorOf(compared, graph, "rand").verdict == NodeVerdict::NotChecked);
    CHECK(errorOf(compared, graph, "mul").verdict == NodeVerdict::Explained);
    CHECK(errorOf(compared, graph, "mul").total.absolute == 0);
}

TEST_CASE("operators that work in place are compared with what they were given") {
    const auto graph = graphOf("x: \"f32[8]\", y: \"f32[8]\"", R"(
        div: "f32[8]" = torch.ops.aten.div.Tensor(x, 3)
        add_: "f32[8]" = torch.ops.aten.add_.Tensor(div, y)
        sin: "f32[8]" = torch.ops.aten.sin.default(div)
        copy_: "f32[8]" = torch.ops.aten.copy_.default(x, sin)
        return (copy_,)
)");
    const auto compared = comparedWithItself(graph);
    CHECK(compared.count(NodeVerdict::Wrong) == 0);
    CHECK(errorOf(compared, graph, "sin").total.relative < 1e-6);
    CHECK(errorOf(compared, graph, "copy_").total.relative < 1e-6);
}

TEST_CASE("sums that cancel are explained, as are numbers beyond the dtype's range") {
    const auto graph = graphOf("x: \"f32[512, 512]\", h: \"f16[4]\"", R"(
        mean: "f32[512, 1]" = torch.ops.aten.mean.dim(x, [1], True)
        sub: "f32[512, 512]" = torch.ops.aten.sub.Tensor(x, mean)
        sum_1: "f32[512]" = torch.ops.aten.sum.dim_IntList(sub, [1])
        mul: "f16[4]" = torch.ops.aten.mul.Tensor(h, 1000)
        return (sum_1, mul)
)");
    session::RunOptions options;
    options.inputs["h"] = {"float16", {4}, std::string("\x00\x7b\x00\xfb\x00\x3c\x00\x00", 8)};
    CHECK(comparedWithItself(graph, options).count(NodeVerdict::Wrong) == 0);
}

TEST_CASE("partial sums that overflow beside results beyond the range are explained") {
    const auto graph = graphOf("x: \"f32[2, 3]\", y: \"f32[3, 1]\"", R"(
        mm: "f32[2, 1]" = torch.ops.aten.mm.default(x, y)
        return (mm,)
)");
    const auto options =
        test::withInputs({{"x", test::floats({2, 3}, {3e38F, 3e38F, 3e38F, 3e38F, 3e38F, -3e38F})},
                          {"y", test::floats({3, 1}, {1, 1, 1})}});
    CHECK(comparedWithItself(graph, options).count(NodeVerdict::Wrong) == 0);
}

TEST_CASE("symbols and numbers run beside their reference") {
    const auto graph = graphOf("s0: \"Sym(s0)\", x: \"f32[s0, 3]\"", R"graph(
        mul: "Sym(2*s0)" = s0 * 2
        full: "f32[2*s0]" = torch.ops.aten.full.default([mul], 0.1, dtype = torch.float32)
        sum_1: "f32[]" = torch.ops.aten.sum.default(full)
        return (sum_1,)
)graph");
    const auto compared = comparedWithItself(graph, test::withSymbols({{"s0", 5}}));
    CHECK(compared.count(NodeVerdict::Wrong) == 0);
    CHECK(errorOf(compared, graph, "full").own.ulps <= 0.5);
    CHECK(errorOf(compared, graph, "full").own.absolute > 0);
}
