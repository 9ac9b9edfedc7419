#include "ir/bodies.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

using namespace aotscope;

TEST_CASE("nested graphs of all levels are listed with what is handed them") {
    const auto parsed = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, p: "b8[]", x: "f32[4][1]"):
        outer_true = self.outer_true
        outer_false = self.outer_false
        cond = torch.ops.higher_order.cond(p, outer_true, outer_false, (x,));  p = outer_true = outer_false = x = None
        getitem: "f32[4][1]" = cond[0];  cond = None
        return (getitem,)

    class outer_true(torch.nn.Module):
        def forward(self, x: "f32[4][1]"):
            step = self.step
            invoke_subgraph = torch.ops.higher_order.invoke_subgraph(step, 'step', x);  step = x = None
            getitem: "f32[4][1]" = invoke_subgraph[0];  invoke_subgraph = None
            return (getitem,)

        class step(torch.nn.Module):
            def forward(self, x: "f32[4][1]"):
                sin: "f32[4][1]" = torch.ops.aten.sin.default(x);  x = None
                return (sin,)

    class outer_false(torch.nn.Module):
        def forward(self, x: "f32[4][1]"):
            cos: "f32[4][1]" = torch.ops.aten.cos.default(x);  x = None
            return (cos,)

    class unused(torch.nn.Module):
        def forward(self, x: "f32[4][1]"):
            return (x,)
)");
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    const std::vector<ir::NestedGraph> nested = ir::nestedGraphs(**parsed);
    REQUIRE(nested.size() == 4);
    using Path = std::vector<std::string>;
    CHECK(nested[0].path == Path{"outer_true"});
    CHECK(nested[0].usedBy == "higher_order.cond");
    CHECK(nested[1].path == Path{"outer_true", "step"});
    CHECK(nested[1].usedBy == "higher_order.invoke_subgraph");
    CHECK(nested[1].graph->tryFind("sin"));
    CHECK(nested[2].path == Path{"outer_false"});
    CHECK(nested[3].path == Path{"unused"});
    CHECK(nested[3].usedBy.empty());

    std::vector<const ir::Graph*> visited;
    ir::forEachBody(**parsed, [&visited](const ir::Graph& body) { visited.push_back(&body); });
    REQUIRE(visited.size() == nested.size());
    for (std::size_t i = 0; i < nested.size(); ++i) {
        CHECK(visited[i] == nested[i].graph.get());
    }
    std::size_t tried = 0;
    const auto hasSine = [&tried](const ir::Graph& body) {
        ++tried;
        return body.tryFind("sin").has_value();
    };
    CHECK(ir::anyBody(**parsed, hasSine));
    CHECK(tried == 2);
    CHECK_FALSE(ir::anyBody(*nested[2].graph, hasSine));
    const auto bodies = ir::bodiesOf(**parsed, (*parsed)->tryFind("cond").value());
    CHECK(bodies == std::vector{nested[0].graph, nested[2].graph});
}

TEST_CASE("the body of a call is the graph that its argument names") {
    const auto parsed = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, p: "b8[]", x: "f32[4][1]"):
        outer_true = self.outer_true
        missing = self.missing
        cond = torch.ops.higher_order.cond(p, outer_true, missing, (x,));  p = outer_true = missing = x = None
        getitem: "f32[4][1]" = cond[0];  cond = None
        return (getitem,)

    class outer_true(torch.nn.Module):
        def forward(self, x: "f32[4][1]"):
            sin: "f32[4][1]" = torch.ops.aten.sin.default(x);  x = None
            return (sin,)
)");
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    const ir::Graph& graph = **parsed;
    const ir::Node& call = graph.node(graph.tryFind("cond").value());
    CHECK(ir::bodyAt(graph, call, 0) == nullptr);
    REQUIRE(ir::bodyAt(graph, call, 1) != nullptr);
    CHECK(ir::bodyAt(graph, call, 1)->tryFind("sin"));
    CHECK(ir::bodyAt(graph, call, 2) == nullptr);
    CHECK(ir::bodyAt(graph, call, 9) == nullptr);
    CHECK(ir::bodyOf(graph, graph.node(graph.tryFind("outer_true").value())) == ir::bodyAt(graph, call, 1));
    CHECK(ir::bodyOf(graph, call) == nullptr);
}
