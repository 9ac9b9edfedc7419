// Where a person who goes through a graph in program order is in a kernel.
#include "kernels/fusion_plan.h"

#include "parsed_graph.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;

namespace {

/// "relu add"; the nodes of the kernel whose group has that node.
std::string nodesOf(const ir::GraphPtr& graph, const kernels::FusionPlan& plan, std::string_view node) {
    const kernels::KernelOfNode kernels = kernels::kernelsOfNodes(*graph, plan);
    const auto group = plan.fates[graph->tryFind(node)->index()].group;
    REQUIRE(group);
    std::string names;
    for (const ir::NodeId id : graph->order()) {
        const auto found = kernels.find(graph->node(id).name);
        if (found != kernels.end() && found->second == plan.groups[*group].kernel.name) {
            names += (names.empty() ? "" : " ") + found->first;
        }
    }
    return names;
}

} // namespace

TEST_CASE("views between two nodes of a kernel are in it, those before and behind are not") {
    const auto graph = test::parsedGraph("x: \"f32[8, 4][4, 1]\"", R"(
        view: "f32[32][1]" = torch.ops.aten.view.default(x, [32])
        relu: "f32[32][1]" = torch.ops.aten.relu.default(view)
        view_1: "f32[8, 4][4, 1]" = torch.ops.aten.view.default(x, [8, 4])
        view_2: "f32[32][1]" = torch.ops.aten.view.default(relu, [32])
        add: "f32[32][1]" = torch.ops.aten.add.Tensor(view_2, view)
        view_3: "f32[8, 4][4, 1]" = torch.ops.aten.view.default(add, [8, 4])
        return (view_3, view_1)
)");
    const kernels::FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(plan.groups.size() == 1);
    CHECK(nodesOf(graph, plan, "relu") == "relu view_1 view_2 add");
}

TEST_CASE("a kernel whose nodes do not follow each other has two stretches, without what is between them") {
    const auto graph = test::parsedGraph("x: \"f32[4, 4][4, 1]\", y: \"f32[4, 4][4, 1]\"", R"(
        relu: "f32[4, 4][4, 1]" = torch.ops.aten.relu.default(x)
        t: "f32[4, 4][1, 4]" = torch.ops.aten.t.default(y)
        mm: "f32[4, 4][4, 1]" = torch.ops.aten.mm.default(y, t)
        neg: "f32[4, 4][4, 1]" = torch.ops.aten.neg.default(relu)
        cos: "f32[4, 4][4, 1]" = torch.ops.aten.cos.default(mm)
        return (neg, cos)
)");
    const kernels::FusionPlan plan = kernels::planFusion(*graph);
    REQUIRE(plan.groups.size() == 2);
    CHECK(nodesOf(graph, plan, "relu") == "relu neg");
    CHECK(nodesOf(graph, plan, "cos") == "cos");
    CHECK_FALSE(kernels::kernelsOfNodes(*graph, plan).contains("mm"));
    CHECK_FALSE(kernels::kernelsOfNodes(*graph, plan).contains("t"));
}
