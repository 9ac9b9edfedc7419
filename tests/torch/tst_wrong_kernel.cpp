// A kernel that computes wrongly is the first wrong op of a graph compared with itself in float64.
#include "backend/make_backend.h"
#include "contract/backend.h"
#include "ir/text/parser.h"
#include "wrong_kernel.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace aotscope;

namespace {

std::string firstWrongOf(const ir::GraphPtr& graph) {
    const std::unique_ptr<session::Backend> backend(aotscopeMakeTorchBackend());
    const auto compared = backend->answer(session::ReferenceCall{graph, graph, {}});
    REQUIRE_MESSAGE(compared.ok(), compared.error().text());
    return compared->firstWrong ? graph->node(compared->nodes[*compared->firstWrong].node).name
                                : std::string();
}

} // namespace

TEST_CASE("a wrong kernel is found in a graph compared with itself") {
    const auto graph = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[32, 32]"):
        mm: "f32[32, 32]" = torch.ops.aten.mm.default(x, x)
        sigmoid: "f32[32, 32]" = torch.ops.aten.sigmoid.default(mm)
        mul: "f32[32, 32]" = torch.ops.aten.mul.Tensor(sigmoid, mm)
        return (mul,)
)");
    REQUIRE(graph.ok());
    CHECK(firstWrongOf(*graph).empty());
    {
        const test::WrongSigmoid wrong;
        CHECK(firstWrongOf(*graph) == "sigmoid");
    }
    CHECK(firstWrongOf(*graph).empty());
}
