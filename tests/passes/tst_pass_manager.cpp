// The passes that split a joint graph: what an observer sees of them, and which of them is to blame.
#include "golden_partitions.h"
#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "passes/pass_manager.h"

#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope;
using passes::PassKind;

namespace {

/// `exp` is dead, and `cos_1` is equal to `cos`.
ir::GraphPtr smallJoint() {
    const auto graph = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[4][1]cpu", tangents_1: "f32[4][1]cpu"):
        sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(primals_1)
        exp: "f32[4][1]cpu" = torch.ops.aten.exp.default(primals_1)
        cos: "f32[4][1]cpu" = torch.ops.aten.cos.default(primals_1)
        cos_1: "f32[4][1]cpu" = torch.ops.aten.cos.default(primals_1)
        mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, cos)
        mul_1: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(mul, cos_1)
        return (sin, mul_1)
)");
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

std::vector<passes::PassRun> seenRuns(const ir::GraphPtr& joint, const passes::PartitionOptions& options) {
    std::vector<passes::PassRun> runs;
    const auto made = passes::partitionJointGraph(joint, options, {},
                                                  [&](const passes::PassRun& run) { runs.push_back(run); });
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    REQUIRE_FALSE(runs.empty());
    REQUIRE(runs.back().graphs.size() == 2);
    CHECK(runs.back().graphs[0].graph == made->forward);
    CHECK(runs.back().graphs[1].graph == made->backward);
    return runs;
}

passes::Splitting splitOf(const ir::GraphPtr& joint) {
    passes::Splitting split{.options = {}, .partition = {}};
    split.partition.joint = joint;
    return split;
}

/// Puts the joint graph's first call before its inputs.
base::Result<passes::Splitting> breakJoint(passes::Splitting split) {
    ir::GraphBuilder graph(*split.partition.joint);
    graph.moveBefore(*split.partition.joint->tryFind("sin"), graph.order().front());
    split.partition.joint = graph.finish();
    return split;
}

base::Result<passes::Splitting> passOn(passes::Splitting split) {
    return split;
}

} // namespace

TEST_CASE("an observer sees the graphs that each pass leaves, in order") {
    std::vector<PassKind> kinds;
    for (const passes::PassRun& run : seenRuns(smallJoint(), {})) {
        kinds.push_back(run.pass);
        const bool isJoint = run.graphs.size() == 1;
        CHECK(isJoint == (run.pass < PassKind::Cut));
        CHECK(run.graphs.front().name == (isJoint ? "joint" : "forward"));
        const ir::Graph& graph = *run.graphs.front().graph;
        switch (run.pass) {
        case PassKind::DeadCode:
            CHECK(run.hasChanged);
            CHECK_FALSE(graph.tryFind("exp"));
            CHECK(graph.tryFind("cos_1"));
            break;
        case PassKind::MergeEqual:
            CHECK(run.hasChanged);
            CHECK_FALSE(graph.tryFind("cos_1"));
            CHECK(graph.users(*graph.tryFind("cos")).size() == 2);
            break;
        case PassKind::Cut:
            CHECK(run.hasChanged);
            CHECK(graph.tryFind("sin"));
            CHECK(run.graphs[1].graph->tryFind("mul_1"));
            break;
        case PassKind::Order:
            break;
        default:
            CHECK_FALSE(run.hasChanged);
        }
    }
    CHECK(kinds == std::vector{PassKind::Tensorify, PassKind::Subgraphs, PassKind::DeadCode,
                               PassKind::MergeEqual, PassKind::Cut, PassKind::Rng, PassKind::Order,
                               PassKind::EffectTokens});
}

TEST_CASE("the default partitioner leaves the joint graph as it is") {
    passes::PartitionOptions options;
    options.partitioner = passes::Partitioner::Default;
    for (const passes::PassRun& run : seenRuns(smallJoint(), options)) {
        CHECK((run.pass == PassKind::Cut || run.pass == PassKind::Order || !run.hasChanged));
    }
}

TEST_CASE("what passes leave of PyTorch's programs is sound, and prints and parses" * test::needsCorpus()) {
    std::size_t changes = 0;
    test::forEachGoldenPartition([&](const test::GoldenPartition& golden) {
        CAPTURE(golden.where);
        if (!ir::verifyGraph(*golden.joint).empty()) {
            return;
        }
        for (const passes::PassRun& run : seenRuns(golden.joint, golden.options)) {
            CAPTURE(base::wordOf(run.pass));
            changes += run.hasChanged ? 1 : 0;
            for (const passes::PassGraph& left : run.graphs) {
                CAPTURE(left.name);
                CHECK(ir::verifyGraph(*left.graph).empty());
                const std::string text = ir::printGraph(*left.graph).text;
                const auto parsed = ir::parseGraphText(text);
                REQUIRE(parsed.ok());
                CHECK(ir::printGraph(**parsed).text == text);
            }
        }
    });
    CHECK(changes > 0);
}

TEST_CASE("the verifier names the pass that breaks a graph") {
    const passes::Pass breaking[] = {{PassKind::Tensorify, passOn}, {PassKind::Subgraphs, breakJoint}};
    const auto caught = passes::runPasses(breaking, splitOf(smallJoint()), {}, {}, /*verify=*/true);
    REQUIRE_FALSE(caught.ok());
    CHECK(caught.error().code == "passes.broken_graph");
    CHECK(caught.error().message.find("\"subgraphs\" made a broken joint graph") != std::string::npos);
    REQUIRE_FALSE(caught.error().notes.empty());
    CHECK(caught.error().notes.front().find("verify.use_before_definition") != std::string::npos);
    CHECK(passes::runPasses(breaking, splitOf(smallJoint()), {}, {}, /*verify=*/false).ok());

    // A graph that was broken before is no pass's doing.
    const passes::Pass twice[] = {{PassKind::Tensorify, passOn}};
    const auto broken = breakJoint(splitOf(smallJoint()));
    CHECK(passes::runPasses(twice, splitOf(broken->partition.joint), {}, {}, /*verify=*/true).ok());
}

TEST_CASE("a pass that fails ends the list, and a stop request ends it before the next pass") {
    const passes::Pass failing[] = {{PassKind::Tensorify,
                                     [](passes::Splitting) -> base::Result<passes::Splitting> {
                                         return base::Error{.code = "passes.no_cut", .message = "no"};
                                     }},
                                    {PassKind::Subgraphs, passOn}};
    std::size_t seen = 0;
    const auto failed = passes::runPasses(failing, splitOf(smallJoint()), {},
                                          [&seen](const passes::PassRun& /*run*/) { ++seen; });
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == "passes.no_cut");
    CHECK(seen == 0);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped =
        passes::runPasses(failing, splitOf(smallJoint()), base::Progress({}, stop.get_token()), {});
    REQUIRE_FALSE(stopped.ok());
    CHECK(base::isCanceled(stopped.error()));
}
