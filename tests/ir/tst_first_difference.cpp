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

/// Two calls in checkpoints of their own, with these tags.
ir::GraphPtr tagged(const std::string& first, const std::string& second) {
    const auto line = [](const std::string& region, const std::string& tag, const std::string& call) {
        return "        # ac_graph_id: " + region + " - " + tag + " File: m.py:1 in f, code: c\n        " +
               call + "\n";
    };
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, x):\n" +
                                    line("4", first, "a = torch.ops.aten.cos.default(x);  x = None") + "\n" +
                                    line("7", second, "b = torch.ops.aten.sin.default(a);  a = None") +
                                    "        return (b,)\n");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
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

TEST_CASE("tags of the regions that are left out are not compared, those of others are") {
    const ir::GraphPtr made = tagged("PREFER_RECOMPUTE", "PREFER_RECOMPUTE");
    const ir::GraphPtr other = tagged("MUST_SAVE", "MUST_SAVE");
    const auto first = ir::firstTagDifference(*made, *other);
    REQUIRE(first);
    CHECK(first->right == "a: MUST_SAVE in region 4");
    const auto second = ir::firstTagDifference(*made, *other, {4});
    REQUIRE(second);
    CHECK(second->right == "b: MUST_SAVE in region 7");
    CHECK_FALSE(ir::firstTagDifference(*made, *other, {4, 7}));
}
