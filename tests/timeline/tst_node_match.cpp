// The recorded training step of make_traces.py against the halves that its compile logged.
#include "trace_text.h"

#include "timeline/fused_names.h"
#include "timeline/node_match.h"
#include "timeline/node_work.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::timeline;
using namespace aotscope::test;

namespace {

ir::GraphPtr graphOf(std::string_view file) {
    auto parsed = ir::parseGraphText(textOf(timelineFile(file)));
    REQUIRE(parsed.ok());
    return *parsed;
}

std::vector<GraphToMatch> halves() {
    return {{"forward", graphOf("mlp_forward.txt")}, {"backward", graphOf("mlp_backward.txt")}};
}

std::vector<std::string> callNodes(const ir::Graph& graph) {
    std::vector<std::string> names;
    for (const ir::NodeId node : graph.order()) {
        if (graph.node(node).op == ir::Opcode::CallFunction) {
            names.push_back(graph.node(node).name);
        }
    }
    return names;
}

/// Every node of both halves once, in program order, each at an event of its operator.
void checkWholeStep(const MatchedTimeline& matched, MatchedBy by) {
    std::vector<std::string> found;
    std::vector<std::string> expected;
    for (const GraphToMatch& half : matched.matches.graphs) {
        for (const std::string& name : callNodes(*half.graph)) {
            expected.push_back(half.name + " " + name);
        }
    }
    const Timeline& timeline = *matched.timeline;
    for (const NodeMatch& match : matched.matches.nodes) {
        const ir::Node& node = matched.matches.graphs[match.graph].graph->node(match.node);
        found.push_back(matched.matches.graphs[match.graph].name + " " + node.name);
        CHECK(match.by == by);
        if (by == MatchedBy::Operators) {
            CHECK(timeline.name(match.event) == operatorName(node.target));
        }
    }
    CHECK(found == expected);
    for (const auto& missing : matched.matches.unmatchedNodes) {
        CHECK(missing.empty());
    }
    // The row of nodes says the same.
    REQUIRE_FALSE(matched.matchOfNodeEvent.empty());
    const Row& row = *timeline.rows()[0];
    CHECK(row.kind == RowKind::Nodes);
    REQUIRE(row.size() == expected.size());
    CHECK(row.laneCount() == 1);
    for (std::uint32_t event = 0; event < row.size(); ++event) {
        CHECK(expected[event].ends_with(" " + timeline.name({0, event})));
    }
}

} // namespace

TEST_CASE("nodes are found by the order of their operators") {
    const auto read = readChromeTrace(timelineFile("mlp_trace.json.gz"));
    REQUIRE(read.ok());
    const MatchedTimeline matched = matchNodes(*read, halves());
    checkWholeStep(matched, MatchedBy::Operators);
    // What is inside an operator belongs to its node.
    const EventId addmm = eventOf(*matched.timeline, "aten::addmm");
    const auto inside = matched.timeline->row(addmm).children(addmm.index);
    REQUIRE(inside.second - inside.first == 4);
    const auto owners = matched.matches.of(*matched.timeline, {addmm.row, inside.first});
    REQUIRE(owners.size() == 1);
    const NodeMatch& owner = matched.matches.nodes[owners[0]];
    CHECK(matched.matches.graphs[owner.graph].graph->node(owner.node).name == "addmm");
    // The loss is computed outside of the graphs.
    const auto loss = std::ranges::find(matched.matches.unmatchedEvents, "aten::sum", &UnmatchedEvents::name);
    REQUIRE(loss != matched.matches.unmatchedEvents.end());
    CHECK(loss->count == 1);
    CHECK(matched.matches.of(*matched.timeline, eventOf(*matched.timeline, "aten::ones_like")).empty());
}

TEST_CASE("nodes are found by the marks of torch.fx") {
    const auto read = readChromeTrace(timelineFile("mlp_marked.json.gz"));
    REQUIRE(read.ok());
    checkWholeStep(matchNodes(*read, halves()), MatchedBy::Mark);
    // Also where the graphs come in another order.
    auto turned = halves();
    std::swap(turned[0], turned[1]);
    const MatchedTimeline matched = matchNodes(*read, std::move(turned));
    CHECK(matched.matches.nodes.size() == 21);
    CHECK(matched.matches.unmatchedNodes[0].empty());
    CHECK(matched.matches.unmatchedNodes[1].empty());
}

TEST_CASE("graphs that did not run have no matches") {
    const auto read = readChromeTrace(timelineFile("gpu_trace.json"));
    REQUIRE(read.ok());
    const MatchedTimeline matched = matchNodes(*read, {{"backward", graphOf("mlp_backward.txt")}});
    CHECK(matched.matches.empty());
    CHECK(matched.matchOfNodeEvent.empty());
    CHECK(matched.timeline->rows().size() == (*read)->rows().size());
    CHECK(matched.matches.unmatchedNodes[0].size() == 16);
    CHECK(std::ranges::count(matched.matches.unmatchedEvents, Category::Kernel, &UnmatchedEvents::category) ==
          2);
}

TEST_CASE("a fused kernel is found by its name") {
    const auto read = readChromeTrace(timelineFile("gpu_trace.json"));
    REQUIRE(read.ok());
    const MatchedTimeline matched = matchNodes(*read, {{"forward", graphOf("mlp_forward.txt")}});
    // Its call on the CPU and its run on the GPU.
    REQUIRE(matched.matches.nodes.size() == 2);
    for (const NodeMatch& match : matched.matches.nodes) {
        CHECK(match.by == MatchedBy::KernelName);
        CHECK(matched.matches.graphs[0].graph->node(match.node).name == "gelu");
    }
    // What the code of the kernels says counts more than their names.
    const MatchedTimeline told = matchNodes(*read, {{"forward", graphOf("mlp_forward.txt")}},
                                            {{"triton_poi_fused_gelu_0", {{0, "t"}, {0, "gelu"}}}});
    CHECK(told.matches.nodes.size() == 4);
}

TEST_CASE("the kernel of an operator belongs to the operator's node") {
    const auto read = readText(
        R"([{"ph":"X","cat":"user_annotation","name":"node addmm","pid":1,"tid":1,"ts":1,"dur":20},)"
        R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":2,"args":{"correlation":9}},)"
        R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":30,"dur":2,"args":{"correlation":9}}])");
    REQUIRE(read.ok());
    const MatchedTimeline matched = matchNodes(*read, {{"forward", graphOf("mlp_forward.txt")}});
    const auto owners = matched.matches.of(*matched.timeline, eventOf(*matched.timeline, "gemm"));
    REQUIRE(owners.size() == 1);
    CHECK(matched.matches.nodes[owners[0]].by == MatchedBy::Mark);
    CHECK(matched.matches.unmatchedEvents.empty());
}

TEST_CASE("a kernel on a stream belongs to the node that launched it, though the profiler's shadow of a mark "
          "lies there") {
    const auto read = readText(
        R"([{"ph":"X","cat":"user_annotation","name":"node addmm","pid":1,"tid":1,"ts":1,"dur":20},)"
        R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernelEx","pid":1,"tid":1,"ts":5,"dur":2,"args":{"correlation":9}},)"
        R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Total Allocated":64,"Bytes":64,"Device Type":0,"Device Id":-1}},)"
        R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":4,"args":{"Total Allocated":2048,"Bytes":512,"Device Type":1,"Device Id":0}},)"
        R"({"ph":"X","cat":"gpu_user_annotation","name":"node addmm","pid":0,"tid":7,"ts":30,"dur":4},)"
        R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":30,"dur":2,"args":{"correlation":9}}])");
    REQUIRE(read.ok());
    const MatchedTimeline matched = matchNodes(*read, {{"forward", graphOf("mlp_forward.txt")}});
    const auto owners = matched.matches.of(*matched.timeline, eventOf(*matched.timeline, "gemm"));
    REQUIRE(owners.size() == 1);
    CHECK(matched.matches.unmatchedEvents.empty());
    const std::vector<NodeWork> work = workOfNodes(matched);
    REQUIRE(work.size() == 1);
    CHECK(work[0].kernels.size() == 1);
    // Where there is memory of a GPU, that is the node's, and not the little beside it on the CPU.
    CHECK(work[0].memoryEvents == 1);
    CHECK(work[0].memoryChange == 512);
}

TEST_CASE("operators in the name of a kernel") {
    const std::vector<std::string> known = {"add", "native_layer_norm", "layer_norm", "_to_copy", "mul"};
    CHECK(operatorsOfKernel("triton_red_fused__to_copy_add_native_layer_norm_12", known) ==
          std::vector<std::string>{"_to_copy", "add", "native_layer_norm"});
    CHECK(operatorsOfKernel("triton_poi_fused_addcmul_mul_3", known) == std::vector<std::string>{"mul"});
    CHECK(operatorsOfKernel("cpp_fused_0", known).empty());
    CHECK(operatorName("aten.sum.dim_IntList") == "aten::sum");
    CHECK(operatorName("_operator.getitem").empty());
}

TEST_CASE("the forward of a node of the backward") {
    ir::GraphBuilder forward;
    ir::Node node;
    node.target = "aten.mm.default";
    const auto add = [&](ir::GraphBuilder& graph, const char* name, std::optional<std::int64_t> number,
                         int line) {
        node.name = name;
        node.sequenceNumber = number;
        auto origin = std::make_shared<ir::NodeOrigin>();
        origin->source = ir::SourceLocation{"model.py", line, "forward", "x @ y"};
        node.origin = origin;
        return graph.append(ir::Node(node));
    };
    const ir::NodeId first = add(forward, "mm", 4, 10);
    const ir::NodeId second = add(forward, "mm_1", 5, 11);
    const ir::NodeId third = add(forward, "mm_2", std::nullopt, 12);
    ir::GraphBuilder backward;
    const ir::NodeId numbered = add(backward, "mm_3", 5, 10);
    const ir::NodeId placed = add(backward, "mm_4", std::nullopt, 12);
    const ir::NodeId unknown = add(backward, "mm_5", 99, 77);
    const auto forwardGraph = forward.finish();
    const auto backwardGraph = backward.finish();
    CHECK(forwardNodesOf(*backwardGraph, numbered, *forwardGraph) == std::vector{second});
    CHECK(forwardNodesOf(*backwardGraph, placed, *forwardGraph) == std::vector{third});
    CHECK(forwardNodesOf(*backwardGraph, unknown, *forwardGraph).empty());
    CHECK(first.valid());
}
