#include "golden_partitions.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

using namespace aotscope;
using namespace aotscope::test;

namespace {

ir::GraphPtr storedGraph(const std::string& name) {
    const auto graph = ir::parseGraphText(
        readFile(std::string(AOTSCOPE_TEST_DIR) + "/golden/rng_checkpoint_" + name + ".txt"));
    REQUIRE(graph.ok());
    return *graph;
}

} // namespace

TEST_CASE("random operators that are computed again run from the forward's states, as PyTorch has it") {
    for (const std::string kind : {"eager", "default"}) {
        CAPTURE(kind);
        ir::GraphBuilder joint(*storedGraph(kind + "_joint"));
        joint.editSymbolHints() = {{"s77", 4}};
        passes::PartitionOptions options;
        options.partitioner = kind == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
        const auto made = passes::partitionJointGraph(joint.finish(), options);
        REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        // Texts do not name the output. PyTorch makes the forward's anew while the old one is still there.
        ir::GraphBuilder forward(*storedGraph(kind + "_forward"));
        forward.rename(*forward.output(), "output_1");
        CHECK(firstDifference(*made->forward, *forward.finish(), WithValues::No) == "");
        CHECK(firstDifference(*made->backward, *storedGraph(kind + "_backward"), WithValues::No) == "");
    }
}
