#include "ir/graph_builder.h"

#include <doctest/doctest.h>

using namespace aotscope::ir;

namespace {

Node call(std::string name, std::string target, Arguments args) {
    Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(args);
    return node;
}

struct Diamond {
    GraphBuilder graph;
    NodeId x, left, right, sum;
};

Diamond diamond() {
    Diamond made;
    Node x;
    x.name = "x";
    x.op = Opcode::Placeholder;
    made.x = made.graph.append(Node(x));
    made.left = made.graph.append(call("left", "aten.sin.default", {made.x}));
    made.right = made.graph.append(call("right", "aten.cos.default", {made.x}));
    made.sum =
        made.graph.append(call("sum", "aten.add.Tensor", {made.left, ListArgument{{made.right, made.left}}}));
    return made;
}

} // namespace

TEST_CASE("what a graph returns is known whether it returns a tuple, a list or one value") {
    const auto returning = [](Arguments args) {
        Diamond made = diamond();
        Node output = call("output", "output", std::move(args));
        output.op = Opcode::Output;
        made.graph.append(std::move(output));
        return std::move(made.graph);
    };
    const Diamond ids = diamond();
    const Arguments items = {ids.sum, NoneArgument{}, TupleArgument{{ids.left, ids.right}}};
    const GraphBuilder tuple = returning({TupleArgument{items}});
    const GraphBuilder list = returning({ListArgument{items}});
    for (const GraphBuilder* graph : {&tuple, &list}) {
        const auto returned = graph->returned();
        CHECK(Arguments(returned.begin(), returned.end()) == items);
        CHECK(returnedNodes(*graph) == std::vector<NodeId>{ids.sum, NodeId(), ids.left, ids.right});
    }
    CHECK(returnedNodes(returning({ids.left})) == std::vector<NodeId>{ids.left});
    CHECK(returnedNodes(returning({TupleArgument{}})).empty());
    CHECK(returnedNodes(returning({})).empty());
    CHECK(returnedNodes(diamond().graph).empty());
}

TEST_CASE("a graph knows distinct users and inputs in order") {
    Diamond made = diamond();
    const GraphPtr graph = made.graph.finish();
    REQUIRE(graph->users(made.x).size() == 2);
    CHECK(graph->users(made.x)[0] == made.left);
    CHECK(graph->users(made.x)[1] == made.right);
    REQUIRE(graph->inputs(made.sum).size() == 2);
    CHECK(graph->inputs(made.sum)[0] == made.left);
    CHECK(graph->inputs(made.sum)[1] == made.right);
    CHECK(graph->users(made.sum).empty());
    CHECK(graph->tryFind("right") == made.right);
    CHECK_FALSE(graph->tryFind("nothing").has_value());
    CHECK(graph->placeholders() == std::vector<NodeId>{made.x});
    CHECK_FALSE(graph->output().has_value());
}

TEST_CASE("ids stay while nodes are moved, erased and replaced") {
    Diamond made = diamond();
    GraphBuilder graph = std::move(made.graph);
    graph.moveBefore(made.right, made.left);
    graph.replaceAllUses(made.left, made.right);
    graph.erase(made.left);
    const GraphPtr frozen = graph.finish();
    CHECK(frozen->size() == 3);
    CHECK(frozen->idBound() == 4);
    CHECK(frozen->position(made.right) == 1);
    CHECK(frozen->users(made.x).size() == 1);
    CHECK(frozen->inputs(made.sum).size() == 1);
    CHECK_FALSE(frozen->tryFind("left").has_value());
}

TEST_CASE("graphs are equal by structure, whatever the ids") {
    Diamond first = diamond();
    Diamond second = diamond();
    const NodeId spare = second.graph.append(call("spare", "aten.neg.default", {}));
    second.graph.erase(spare);
    const NodeId again = second.graph.append(call("last", "aten.neg.default", {second.sum}));
    CHECK_FALSE(equalGraphs(first.graph, second.graph));
    first.graph.append(call("last", "aten.neg.default", {first.sum}));
    CHECK(equalGraphs(first.graph, second.graph));
    second.graph.setArguments(again, {second.left});
    CHECK_FALSE(equalGraphs(first.graph, second.graph));
}

TEST_CASE("floats compare by bits and kinds are apart") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(Argument(nan) == Argument(nan));
    CHECK_FALSE(Argument(0.0) == Argument(-0.0));
    CHECK_FALSE(Argument(1.0) == Argument(std::int64_t{1}));
    CHECK_FALSE(Argument(true) == Argument(std::int64_t{1}));
}

TEST_CASE("symbols of shapes, arguments and nested graphs are collected sorted") {
    GraphBuilder inner;
    Node size;
    size.name = "s1";
    size.op = Opcode::Placeholder;
    size.value = SymbolicMeta{SymbolicMeta::Kind::Int, SymExpr("s9 + 1")};
    inner.append(Node(size));
    GraphBuilder outer;
    TensorMeta tensor;
    tensor.dtype = DType::Float16;
    tensor.shape = {SymExpr("2*s3"), 4};
    Node x = call("x", "aten.f.default", {SymbolArgument{SymExpr("Max(1, u0)")}});
    x.value = tensor;
    outer.append(Node(x));
    outer.addSubgraph("inner", inner.finish());
    CHECK(outer.finish()->symbols() == std::vector<std::string>{"s3", "s9", "u0"});
    CHECK(tensor.bytes({{"s3", 5}}) == 80);
    CHECK_FALSE(tensor.bytes({}).has_value());
    CHECK(valueText(x.value) == "f16[2*s3, 4]");
}

TEST_CASE("types and devices are known by name") {
    for (int i = 1; i <= static_cast<int>(DType::Bits16); ++i) {
        const auto dtype = static_cast<DType>(i);
        CHECK(dtypeFromName(dtypeName(dtype)) == dtype);
        CHECK(dtypeFromShortName(dtypeShortName(dtype)) == dtype);
        CHECK(dtypeBytes(dtype) > 0);
    }
    CHECK(dtypeShortName(DType::BFloat16) == "bf16");
    CHECK_FALSE(dtypeFromName("float33").has_value());
    CHECK(Device::parse("cuda:1") == Device{"cuda", 1});
    CHECK(Device::parse("cpu")->text() == "cpu");
    for (const char* bad : {"", "cuda:", "cuda:x", "cuda:-1", ":0", "a b"}) {
        CAPTURE(bad);
        CHECK_FALSE(Device::parse(bad).has_value());
    }
}
