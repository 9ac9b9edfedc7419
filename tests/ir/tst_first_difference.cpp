#include "ir/compare/first_difference.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

using namespace aotscope;

namespace {

ir::GraphPtr body(const std::string& op) {
    auto graph = ir::parseGraphText("class true_graph_0(torch.nn.Module):\n    def forward(self, x):\n"
                                    "        y = torch.ops.aten." +
                                    op + ".default(x);  x = None\n        return (y,)\n");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

/// A graph that fetches a graph module and returns it; null module: the file does not contain it.
ir::GraphPtr fetching(const std::string& target, const ir::GraphPtr& module) {
    ir::GraphBuilder graph;
    ir::Node fetch;
    fetch.name = "module";
    fetch.op = ir::Opcode::GetAttr;
    fetch.target = target;
    const ir::NodeId fetched = graph.append(std::move(fetch));
    ir::Node output;
    output.name = "output";
    output.op = ir::Opcode::Output;
    output.target = "output";
    output.args = {ir::Argument(fetched)};
    graph.append(std::move(output));
    if (module) {
        graph.addSubgraph(target, module);
    }
    return graph.finish();
}

} // namespace

TEST_CASE("bodies of graph modules are compared where both sides have them") {
    const ir::GraphPtr made = fetching("true_graph_0", body("cos"));
    CHECK_FALSE(ir::firstDifference(*made, *fetching("true_graph_0", body("cos"))));
    CHECK_FALSE(ir::firstDifference(*made, *fetching("true_graph_0", nullptr)));
    const auto found = ir::firstDifference(*made, *fetching("true_graph_0", body("sin")));
    REQUIRE(found);
    CHECK(found->what == "target in true_graph_0");
    CHECK(found->position == 0);
    CHECK(found->left.find("cos") != std::string::npos);
    CHECK(found->right.find("sin") != std::string::npos);
    CHECK(ir::firstDifference(*made, *fetching("true_graph_0", body("sin")), {.ignoreNames = true}));
}

TEST_CASE("what get_attr fetches is compared; only what a graph module is called is a name") {
    const auto constant = ir::firstDifference(*fetching("_tensor_constant0", nullptr),
                                              *fetching("_tensor_constant1", nullptr), {.ignoreNames = true});
    REQUIRE(constant);
    CHECK(constant->what == "target");
    const ir::GraphPtr made = fetching("true_graph_0", body("cos"));
    const ir::GraphPtr other = fetching("true_graph_1", body("cos"));
    REQUIRE(ir::firstDifference(*made, *other));
    CHECK(ir::firstDifference(*made, *other)->what == "target");
    CHECK_FALSE(ir::firstDifference(*made, *other, {.ignoreNames = true}));
}
