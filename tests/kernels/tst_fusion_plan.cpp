// Which nodes become one kernel. The rules are those of the header; what PyTorch's operators do is not asked
// here.
#include "kernels/fusion_plan.h"

#include "parsed_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace aotscope;
using kernels::FusionPlan;
using kernels::NodeFateKind;

namespace {

/// The nodes of each group by name, "add relu".
std::vector<std::string> groupsOf(const ir::GraphPtr& graph, const FusionPlan& plan) {
    std::vector<std::string> groups;
    for (const kernels::FusionGroup& group : plan.groups) {
        std::string names;
        for (const ir::NodeId node : group.nodes) {
            names += (names.empty() ? "" : " ") + graph->node(node).name;
        }
        groups.push_back(names);
    }
    return groups;
}
std::vector<std::string> groupsOf(const ir::GraphPtr& graph) {
    return groupsOf(graph, kernels::planFusion(*graph));
}

kernels::NodeFate fateOf(const ir::GraphPtr& graph, const FusionPlan& plan, std::string_view name) {
    return plan.fates[graph->tryFind(name)->index()];
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a chain of pointwise nodes is one kernel, and counts as fused") {
    const auto graph = test::parsedGraph("x: \"f32[8, 4][4, 1]\", y: \"f32[4][1]\"", R"(
        add: "f32[8, 4][4, 1]" = torch.ops.aten.add.Tensor(x, y)
        relu: "f32[8, 4][4, 1]" = torch.ops.aten.relu.default(add)
        gt: "b8[8, 4][4, 1]" = torch.ops.aten.gt.Scalar(relu, 0)
        return (relu, gt)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"add relu gt"});
    CHECK(plan.counts.eligible == 3);
    CHECK(plan.counts.fused == 3);
    CHECK(plan.counts.generatedAlone == 0);
    CHECK(plan.counts.share() == 1);
    REQUIRE(plan.groups[0].kernel.parameters.size() == 4);
    CHECK(std::ranges::count(plan.groups[0].kernel.parameters, true, &kernels::KernelParameter::written) ==
          2);
}

TEST_CASE("a group is convex: no path leaves it and comes back") {
    const auto graph = test::parsedGraph("x: \"f32[4, 4][4, 1]\"", R"(
        neg: "f32[4, 4][4, 1]" = torch.ops.aten.neg.default(x)
        mm: "f32[4, 4][4, 1]" = torch.ops.aten.mm.default(neg, neg)
        add: "f32[4, 4][4, 1]" = torch.ops.aten.add.Tensor(neg, mm)
        return (add,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"neg", "add"});
    CHECK(plan.counts.fused == 0);
    CHECK(plan.counts.generatedAlone == 2);
    CHECK(fateOf(graph, plan, "add").reason == "a path between them leaves the group and comes back");
    CHECK(fateOf(graph, plan, "mm").kind == NodeFateKind::NotEligible);
    CHECK(fateOf(graph, plan, "mm").reason == "multiplies matrices");
}

TEST_CASE("a path through views and another group also counts") {
    const auto graph = test::parsedGraph("x: \"f32[4, 4][4, 1]\"", R"(
        neg: "f32[4, 4][4, 1]" = torch.ops.aten.neg.default(x)
        t: "f32[4, 4][1, 4]" = torch.ops.aten.t.default(neg)
        mm: "f32[4, 4][4, 1]" = torch.ops.aten.mm.default(t, t)
        exp: "f32[4, 4][4, 1]" = torch.ops.aten.exp.default(mm)
        view: "f32[16][1]" = torch.ops.aten.view.default(exp, [16])
        view_1: "f32[16][1]" = torch.ops.aten.view.default(neg, [16])
        mul: "f32[16][1]" = torch.ops.aten.mul.Tensor(view, view_1)
        return (mul,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"neg", "exp mul"});
    CHECK(fateOf(graph, plan, "view").kind == NodeFateKind::FoldedView);
    CHECK(fateOf(graph, plan, "view_1").kind == NodeFateKind::View);
}

TEST_CASE("a write to memory ends groups, and itself is no kernel") {
    const auto graph = test::parsedGraph("x: \"f32[4][1]\"", R"(
        neg: "f32[4][1]" = torch.ops.aten.neg.default(x)
        copy_: "f32[4][1]" = torch.ops.aten.copy_.default(x, neg)
        add: "f32[4][1]" = torch.ops.aten.add.Tensor(neg, x)
        return (add,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"neg", "add"});
    CHECK(fateOf(graph, plan, "copy_").reason == "writes to its argument");
    // The order of the steps is the order of the writes.
    REQUIRE(plan.steps.size() == 5);
    CHECK(plan.steps[1].group == 0);
    CHECK(graph->node(plan.steps[2].node).name == "copy_");
    CHECK(plan.steps[3].group == 1);
}

TEST_CASE("softmax and what is pointwise around it is one kernel of rows") {
    const auto graph = test::parsedGraph("x: \"f32[2, 3, 8][24, 8, 1]\", mask: \"b8[3, 8][8, 1]\"", R"(
        mul: "f32[2, 3, 8][24, 8, 1]" = torch.ops.aten.mul.Tensor(x, 0.5)
        masked_fill: "f32[2, 3, 8][24, 8, 1]" = torch.ops.aten.masked_fill.Scalar(mul, mask, -1000.0)
        _softmax: "f32[2, 3, 8][24, 8, 1]" = torch.ops.aten._softmax.default(masked_fill, -1, False)
        neg: "f32[2, 3, 8][24, 8, 1]" = torch.ops.aten.neg.default(_softmax)
        return (neg,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(groupsOf(graph, plan) == Names{"mul masked_fill _softmax neg"});
    const kernels::FusedKernel& kernel = plan.groups[0].kernel;
    CHECK(kernel.kind == kernels::KernelKind::RowReduction);
    CHECK(kernel.rows == 6);
    CHECK(kernel.columns == 8);
    // Global memory is read once: one load of x and one of the mask in the text.
    const auto loads = [&](const std::string& parameter) {
        std::size_t count = 0;
        for (std::size_t at = kernel.source.find(parameter + " + "); at != std::string::npos;
             at = kernel.source.find(parameter + " + ", at + 1)) {
            ++count;
        }
        return count;
    };
    CHECK(loads("in0") == 1);
    CHECK(loads("in1") == 1);
}

TEST_CASE("reductions of outer dimensions are not eligible, those of inner ones are") {
    const auto graph = test::parsedGraph("x: \"f32[4, 8][8, 1]\"", R"(
        sum_1: "f32[8][1]" = torch.ops.aten.sum.dim_IntList(x, [0])
        sum_2: "f32[4][1]" = torch.ops.aten.sum.dim_IntList(x, [-1])
        sum_3: "f32[][]" = torch.ops.aten.sum.default(x)
        return (sum_1, sum_2, sum_3)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"sum_2", "sum_3"});
    CHECK(fateOf(graph, plan, "sum_1").reason == "reduces dimensions that are not the innermost");
}

TEST_CASE("two reductions share a kernel only if their rows are the same") {
    const auto graph = test::parsedGraph("x: \"f32[4, 8][8, 1]\"", R"(
        sum_1: "f32[4, 1][1, 1]" = torch.ops.aten.sum.dim_IntList(x, [-1], True)
        div: "f32[4, 8][8, 1]" = torch.ops.aten.div.Tensor(x, sum_1)
        amax: "f32[4][1]" = torch.ops.aten.amax.default(div, [-1])
        sum_2: "f32[][]" = torch.ops.aten.sum.default(amax)
        return (div, sum_2)
)");
    CHECK(groupsOf(graph) == Names{"sum_1 div amax", "sum_2"});
}

TEST_CASE("nodes with several results are computed by one kernel") {
    const auto graph = test::parsedGraph("x: \"f32[4, 8][8, 1]\", w: \"f32[8][1]\"", R"(
        native_layer_norm = torch.ops.aten.native_layer_norm.default(x, [8], w, None, 1e-05)
        getitem: "f32[4, 8][8, 1]" = native_layer_norm[0]
        getitem_1: "f32[4, 1][1, 1]" = native_layer_norm[1]
        getitem_2: "f32[4, 1][1, 1]" = native_layer_norm[2]
        relu: "f32[4, 8][8, 1]" = torch.ops.aten.relu.default(getitem)
        return (relu, getitem_1, getitem_2)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(groupsOf(graph, plan) == Names{"native_layer_norm relu"});
    CHECK(std::ranges::count(plan.groups[0].kernel.parameters, true, &kernels::KernelParameter::written) ==
          3);
    CHECK(plan.groups[0].remainders.empty());
}

TEST_CASE("the weight gradients of a layer norm are left to its operator") {
    const auto graph = test::parsedGraph(
        "g: \"f32[4, 8][8, 1]\", x: \"f32[4, 8][8, 1]\", m: \"f32[4, 1][1, 1]\", r: \"f32[4, 1][1, "
        "1]\", w: \"f32[8][1]\"",
        R"(
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(g, x, [8], m, r, w, None, [True, True, False])
        getitem: "f32[4, 8][8, 1]" = native_layer_norm_backward[0]
        getitem_1: "f32[8][1]" = native_layer_norm_backward[1]
        return (getitem, getitem_1)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(plan.groups.size() == 1);
    REQUIRE(plan.groups[0].remainders.size() == 1);
    CHECK(plan.groups[0].remainders[0].result == 1);
}

TEST_CASE("statistics that the weight gradients of the same kernel are made from are written to memory") {
    const auto graph = test::parsedGraph("x: \"f32[4, 8][8, 1]\", w: \"f32[8][1]\"", R"(
        native_layer_norm = torch.ops.aten.native_layer_norm.default(x, [8], w, None, 1e-05)
        getitem: "f32[4, 8][8, 1]" = native_layer_norm[0]
        getitem_1: "f32[4, 1][1, 1]" = native_layer_norm[1]
        getitem_2: "f32[4, 1][1, 1]" = native_layer_norm[2]
        native_layer_norm_backward = torch.ops.aten.native_layer_norm_backward.default(getitem, x, [8], getitem_1, getitem_2, w, None, [True, True, False])
        getitem_3: "f32[4, 8][8, 1]" = native_layer_norm_backward[0]
        getitem_4: "f32[8][1]" = native_layer_norm_backward[1]
        return (getitem_3, getitem_4)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(groupsOf(graph, plan) == Names{"native_layer_norm native_layer_norm_backward"});
    Names written;
    for (const kernels::KernelParameter& parameter : plan.groups[0].kernel.parameters) {
        if (parameter.written) {
            written.push_back(graph->node(parameter.tensor.node).name + " " +
                              std::to_string(parameter.tensor.result));
        }
    }
    std::ranges::sort(written);
    // The operator that computes the weight gradient reads all three of the first; of the second only the
    // input's.
    CHECK(written == Names{"native_layer_norm 0", "native_layer_norm 1", "native_layer_norm 2",
                           "native_layer_norm_backward 0"});
    REQUIRE(plan.groups[0].remainders.size() == 1);
    CHECK(plan.groups[0].remainders[0].node == plan.groups[0].nodes[1]);
    CHECK(plan.groups[0].remainders[0].result == 1);
}

TEST_CASE("an expensive value is not computed again for everything that it is broadcast to") {
    const auto graph = test::parsedGraph("x: \"f32[4][1]\", y: \"f32[1000, 4][4, 1]\"", R"(
        exp: "f32[4][1]" = torch.ops.aten.exp.default(x)
        mul: "f32[1000, 4][4, 1]" = torch.ops.aten.mul.Tensor(exp, y)
        neg: "f32[4][1]" = torch.ops.aten.neg.default(x)
        add: "f32[1000, 4][4, 1]" = torch.ops.aten.add.Tensor(neg, mul)
        return (add,)
)");
    CHECK(groupsOf(graph) == Names{"exp", "mul neg add"});
}

TEST_CASE("views of a group's values become index expressions") {
    const auto graph = test::parsedGraph("x: \"f32[4, 6][6, 1]\", y: \"f32[6, 4][4, 1]\"", R"(
        neg: "f32[4, 6][6, 1]" = torch.ops.aten.neg.default(x)
        permute: "f32[6, 4][1, 6]" = torch.ops.aten.permute.default(neg, [1, 0])
        add: "f32[6, 4][4, 1]" = torch.ops.aten.add.Tensor(permute, y)
        slice_1: "f32[2, 4][4, 1]" = torch.ops.aten.slice.Tensor(add, 0, 1, 5, 2)
        mul: "f32[2, 4][4, 1]" = torch.ops.aten.mul.Tensor(slice_1, 2)
        return (mul,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"neg add mul"});
    CHECK(plan.counts.foldedViews == 2);
    CHECK(plan.groups[0].kernel.rows == 8);
}

TEST_CASE("what memory a view is of is not lost: as_strided reads what was stored") {
    const auto graph = test::parsedGraph("x: \"f32[4, 6][6, 1]\"", R"(
        neg: "f32[4, 6][6, 1]" = torch.ops.aten.neg.default(x)
        as_strided: "f32[6][1]" = torch.ops.aten.as_strided.default(neg, [6], [1], 3)
        exp: "f32[6][1]" = torch.ops.aten.exp.default(as_strided)
        return (exp,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(groupsOf(graph, plan) == Names{"neg", "exp"});
    CHECK(fateOf(graph, plan, "as_strided").kind == NodeFateKind::View);
}

TEST_CASE("random numbers and unknown operators keep their order and are named") {
    const auto graph = test::parsedGraph("x: \"f32[4][1]\"", R"(
        bernoulli: "f32[4][1]" = torch.ops.aten.bernoulli.p(x, 0.5)
        scaled: "f32[4][1]" = torch.ops.mine.scaled.default(x)
        mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(bernoulli, scaled)
        digamma: "f32[4][1]" = torch.ops.aten.digamma.default(mul)
        return (digamma,)
)");
    const FusionPlan plan = kernels::planFusion(*graph);
    CHECK(fateOf(graph, plan, "bernoulli").reason.starts_with("draws random numbers"));
    CHECK(fateOf(graph, plan, "scaled").reason == "is an operator that PyTorch does not know");
    // Pointwise by its tag, so that it counts as eligible, although there is no rule for it.
    CHECK(fateOf(graph, plan, "digamma").kind == NodeFateKind::NotGenerated);
    CHECK(plan.counts.eligible == 2);
    CHECK(plan.counts.share() == 0.5);
}

TEST_CASE("sizes of a run decide, by symbols or by layouts") {
    const auto graph = test::parsedGraph("s0: \"Sym(s0)\", x: \"f32[s0, 4][4, 1]\"", R"(
        neg: "f32[s0, 4][4, 1]" = torch.ops.aten.neg.default(x)
        return (neg,)
)");
    kernels::FusionOptions options;
    CHECK(kernels::planFusion(*graph, options).counts.eligible == 0);
    options.symbols["s0"] = 10;
    CHECK(kernels::planFusion(*graph, options).groups.at(0).kernel.rows == 40);
}
