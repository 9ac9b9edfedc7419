// Runs under LibTorch's profiler: ranges of nodes, the operators inside them, memory.
#include "run_support.h"

#include "timeline/chrome_trace_read.h"
#include "timeline/fused_names.h"
#include "timeline/node_work.h"

#include <algorithm>
#include <set>

using namespace aotscope;
using namespace aotscope::test;
using namespace aotscope::timeline;

namespace {

ir::GraphPtr addmmGraph() {
    return graphOf(
        "arg0_1: \"f32[64, 32][32, 1]cpu\", arg1_1: \"f32[32, 16][16, 1]cpu\", arg2_1: \"f32[16][1]cpu\"",
        "        addmm: \"f32[64, 16][16, 1]cpu\" = torch.ops.aten.addmm.default(arg2_1, arg0_1, arg1_1)\n"
        "        relu: \"f32[64, 16][16, 1]cpu\" = torch.ops.aten.relu.default(addmm)\n"
        "        sum_1: \"f32[64][1]cpu\" = torch.ops.aten.sum.dim_IntList(relu, [1])\n"
        "        return (sum_1,)\n");
}

session::RunSnapshot profiled(const ir::GraphPtr& graph) {
    session::RunOptions options;
    options.statistics = false;
    options.profile = true;
    auto ran = backend().answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    REQUIRE_MESSAGE(!ran->error, ran->error->text());
    return std::move(ran).value();
}

MatchedTimeline matchedRun(const session::RunSnapshot& run, const ir::GraphPtr& graph) {
    const auto read = readChromeTraces({std::make_shared<const std::string>(run.profileTrace)});
    REQUIRE_MESSAGE(read.ok(), read.error().text());
    CHECK((*read)->problems().empty());
    return matchNodes(*read, {{"graph", graph}});
}

} // namespace

TEST_CASE("every node has a range with its operator's call in it") {
    const ir::GraphPtr graph = addmmGraph();
    const MatchedTimeline matched = matchedRun(profiled(graph), graph);
    CHECK(matched.matches.unmatchedNodes[0].empty());
    std::vector<std::string> called;
    for (const NodeWork& work : workOfNodes(matched)) {
        const NodeMatch& match = matched.matches.nodes[work.match];
        const ir::Node& node = graph->node(match.node);
        CHECK(match.by == MatchedBy::Mark);
        if (node.op == ir::Opcode::CallFunction) {
            REQUIRE(work.operators.size() == 1);
            CHECK(matched.timeline->name(work.operators[0]) == operatorName(node.target));
            CHECK(work.duration >= matched.timeline->duration(work.operators[0]));
            called.push_back(node.name);
        } else {
            CHECK(work.operators.empty());
        }
        CHECK(work.kernels.empty());
    }
    CHECK(called == std::vector<std::string>{"addmm", "relu", "sum_1"});
}

TEST_CASE("the profiler's memory is that of the tensors, to the byte") {
    const ir::GraphPtr graph = addmmGraph();
    const session::RunSnapshot run = profiled(graph);
    const MatchedTimeline matched = matchedRun(run, graph);
    for (const NodeWork& work : workOfNodes(matched)) {
        const ir::Node& node = graph->node(matched.matches.nodes[work.match].node);
        REQUIRE(work.memoryEvents);
        if (node.name == "addmm" || node.name == "relu") {
            // A result of 64 x 16 floats.
            CHECK(*work.memoryEvents >= 1);
            CHECK(work.memoryChange == 64 * 16 * 4);
        }
        if (node.op == ir::Opcode::Placeholder) {
            CHECK(*work.memoryEvents == 0);
        }
    }
}

TEST_CASE("a profiled run gives the same numbers, and the next one is none") {
    const ir::GraphPtr graph = addmmGraph();
    session::RunOptions options;
    options.keepOutputs = true;
    const auto plain = backend().answer(session::RunCall{graph, options});
    options.profile = true;
    const auto ran = backend().answer(session::RunCall{graph, options});
    REQUIRE(plain.ok());
    REQUIRE(ran.ok());
    CHECK(plain->profileTrace.empty());
    CHECK(!ran->profileTrace.empty());
    CHECK(plain->outputs[0].bytes == ran->outputs[0].bytes);
    options.profile = false;
    CHECK(backend().answer(session::RunCall{graph, options})->profileTrace.empty());
}

TEST_CASE("a profiled run that fails leaves the profiler free") {
    const ir::GraphPtr broken =
        graphOf("arg0_1: \"f32[4, 3][3, 1]cpu\"",
                "        mm: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.mm.default(arg0_1, arg0_1)\n"
                "        return (mm,)\n");
    session::RunOptions options;
    options.profile = true;
    const auto failed = backend().answer(session::RunCall{broken, options});
    REQUIRE(failed.ok());
    REQUIRE(failed->error);
    CHECK(failed->error->place.node == "mm");
    CHECK(failed->profileTrace.empty());
    CHECK(!profiled(addmmGraph()).profileTrace.empty());
}
