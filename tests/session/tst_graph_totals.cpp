// Totals of graphs for lists of compiles: nodes, and the bytes that a forward saves.
#include "files/graph_totals.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;

namespace {

session::ArtifactReference graphOf(const char* compile, std::string artifact, std::uint32_t log = 0) {
    session::ArtifactReference reference;
    reference.log = log;
    reference.compile = load::CompileId::parse(compile).value();
    reference.artifact = std::move(artifact);
    return reference;
}

ir::GraphPtr parsed(const std::string& returned) {
    auto graph =
        ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                           "    def forward(self, primals_1: \"f32[8, 4][4, 1]cpu\", "
                           "primals_2: \"f32[s0, 4][4, 1]cpu\"):\n"
                           "        mul: \"f32[8, 4][4, 1]cpu\" = "
                           "torch.ops.aten.mul.Tensor(primals_1, 2)\n"
                           "        relu: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.relu.default(mul)\n"
                           "        return " +
                           returned + "\n        \n");
    REQUIRE_MESSAGE(graph, (graph ? std::string() : graph.error().text()));
    return *graph;
}

} // namespace

TEST_CASE("a forward's totals count each saved tensor once") {
    const session::GraphTotals totals = session::totalsOf(*parsed(R"((
            relu,  # PlainAOTOutput(idx=0)
            mul,  # SavedForBackwardsAOTOutput(idx=0)
            primals_1,  # SavedForBackwardsAOTOutput(idx=1)
            mul,  # SavedForBackwardsAOTOutput(idx=2)
            primals_2,  # SavedForBackwardsAOTOutput(idx=3)
        ))"));
    CHECK(totals.nodes == 5);
    // Two of 8 x 4 floats; the size of the third is not known.
    CHECK(totals.savedBytes == 2 * 8 * 4 * 4);
}

TEST_CASE("a graph that saves nothing has no saved bytes") {
    const session::GraphTotals totals = session::totalsOf(*parsed("(relu,)"));
    CHECK(totals.nodes == 5);
    CHECK_FALSE(totals.savedBytes);
}

TEST_CASE("KnownTotals gives a compile's first telling graph, and its forward's saved bytes") {
    session::KnownTotals known;
    CHECK_FALSE(known.nodesOf(graphOf("0/0", {})));
    known.insert(graphOf("0/0", "forward"), {.nodes = 7, .savedBytes = 128});
    CHECK(known.nodesOf(graphOf("0/0", {})) == 7);
    known.insert(graphOf("0/0", "joint#1"), {.nodes = 20, .savedBytes = {}});
    known.insert(graphOf("0/0", "joint#2"), {.nodes = 30, .savedBytes = {}});
    CHECK(known.nodesOf(graphOf("0/0", {})) == 20);
    CHECK(known.savedBytesOf(graphOf("0/0", {})) == 128);
    CHECK(known.tryFind(graphOf("0/0", "joint#2"))->nodes == 30);

    // Graphs of other compiles, ranks and logs, and nested ones, say nothing of a compile.
    CHECK_FALSE(known.nodesOf(graphOf("0/1", {})));
    session::ArtifactReference otherRank = graphOf("0/0", {});
    otherRank.rank = 3;
    CHECK_FALSE(known.nodesOf(otherRank));
    session::ArtifactReference nested = graphOf("1/0", "joint");
    nested.subgraph = {"true_graph_0"};
    known.insert(nested, {.nodes = 3, .savedBytes = {}});
    CHECK_FALSE(known.nodesOf(graphOf("1/0", {})));
    known.insert(graphOf("0/0", "joint", 1), {.nodes = 4, .savedBytes = {}});

    known.eraseLog(0);
    CHECK_FALSE(known.nodesOf(graphOf("0/0", {})));
    CHECK(known.nodesOf(graphOf("0/0", {}, 1)) == 4);
}
