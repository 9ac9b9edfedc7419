#include "ir/compare/graph_diff.h"
#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "support/corpus_case.h"

#include "ir/golden.h"

#include <doctest/doctest.h>

#include <map>

using namespace aotscope::ir;
using Kind = NodeDifference::Kind;
using Details = std::vector<std::string>;

namespace {

std::map<std::string, GraphPtr> graphsOf(const std::string& file) {
    std::map<std::string, GraphPtr> graphs;
    for (aotscope::test::GoldenGraph& golden :
         aotscope::test::goldenGraphs(aotscope::test::corpusDir() / "golden" / file)) {
        const auto graph = graphFromJson(golden.json.dump());
        REQUIRE(graph);
        graphs.emplace(golden.where.substr(file.size() + 2), *graph);
    }
    return graphs;
}

/// A real graph of 13 calls: two linear layers and their activation.
GraphPtr realGraph() {
    return graphsOf("mlp_sgd.json").at("units/0/joint");
}

NodeId find(const Graph& graph, std::string_view name) {
    const std::optional<NodeId> id = graph.tryFind(name);
    REQUIRE_MESSAGE(id.has_value(), std::string(name));
    return *id;
}

/// The difference for a node, by its left name, or for an added node by its right name.
const NodeDifference* about(const Graph& left, const Graph& right, const GraphDiff& diff,
                            std::string_view name) {
    for (const NodeDifference& difference : diff.differences) {
        const std::string& found =
            difference.left.valid() ? left.node(difference.left).name : right.node(difference.right).name;
        if (found == name) {
            return &difference;
        }
    }
    return nullptr;
}

GraphPtr renamed(const Graph& graph) {
    GraphBuilder copy(graph);
    for (const NodeId id : graph.order()) {
        copy.rename(id, "n" + std::to_string(id.index() * 7919 % 100'003));
    }
    return copy.finish();
}

std::size_t count(const GraphDiff& diff, Kind kind) {
    return static_cast<std::size_t>(
        std::count_if(diff.differences.begin(), diff.differences.end(),
                      [kind](const NodeDifference& difference) { return difference.kind == kind; }));
}

/// Partners are mutual, and every node is either matched or reported as added or removed.
void checkSound(const Graph& left, const Graph& right, const GraphDiff& diff) {
    std::size_t pairs = 0;
    for (const NodeId id : left.order()) {
        const NodeId partner = diff.partnerOfLeft[id.index()];
        if (partner.valid()) {
            ++pairs;
            REQUIRE(diff.partnerOfRight[partner.index()] == id);
        }
    }
    CHECK(count(diff, Kind::Removed) == left.size() - pairs);
    CHECK(count(diff, Kind::Added) == right.size() - pairs);
}

} // namespace

TEST_CASE("a graph has no difference from itself, and a renamed one is equal up to names" *
          aotscope::test::needsCorpus()) {
    std::size_t graphs = 0;
    for (const std::filesystem::path& file : aotscope::test::goldenFiles()) {
        for (const auto& [where, graph] : graphsOf(file.filename().string())) {
            CAPTURE(file.filename().string());
            CAPTURE(where);
            CHECK(diffGraphs(*graph, *graph).equal());
            const GraphDiff diff = diffGraphs(*graph, *renamed(*graph));
            CHECK(diff.equalUpToNames());
            CHECK(diff.differences.size() == graph->size());
            ++graphs;
        }
    }
    CHECK(graphs > 400);
}

TEST_CASE("an added and a removed node are told" * aotscope::test::needsCorpus()) {
    const GraphPtr left = realGraph();
    GraphBuilder copy(*left);
    const NodeId relu = find(*left, "relu");
    Node extra;
    extra.name = "scaled";
    extra.target = "aten.mul.Tensor";
    extra.args = {relu, 0.5};
    extra.value = left->node(relu).value;
    const NodeId added = copy.append(Node(extra));
    const NodeId user = left->users(relu)[0];
    copy.moveBefore(added, user);
    copy.mapArguments(user, [&](NodeId node) { return node == relu ? added : node; });
    const GraphPtr right = copy.finish();

    const GraphDiff there = diffGraphs(*left, *right);
    checkSound(*left, *right, there);
    REQUIRE(there.differences.size() == 2);
    CHECK(there.differences[0].kind == Kind::Added);
    CHECK(there.differences[0].right == added);
    CHECK(there.differences[1].kind == Kind::Changed);
    CHECK(there.differences[1].left == user);
    CHECK(there.differences[1].details == Details{"argument 0: relu → scaled"});
    CHECK(diffText(*left, *right, there).find("scaled = torch.ops.aten.mul.Tensor(relu, 0.5)") !=
          std::string::npos);

    const GraphDiff back = diffGraphs(*right, *left);
    REQUIRE(back.differences.size() == 2);
    CHECK(count(back, Kind::Removed) == 1);
    CHECK(about(*right, *left, back, "scaled")->kind == Kind::Removed);
}

TEST_CASE("changed constants, keywords, operators and metadata are told in words" *
          aotscope::test::needsCorpus()) {
    const GraphPtr left = realGraph();
    const auto changed = [&](std::string_view name, auto&& edit) {
        GraphBuilder copy(*left);
        Node node = left->node(find(*left, name));
        edit(node);
        copy.replace(find(*left, name), std::move(node));
        const GraphPtr right = copy.finish();
        const GraphDiff diff = diffGraphs(*left, *right);
        checkSound(*left, *right, diff);
        REQUIRE(diff.differences.size() == 1);
        CHECK(diff.differences[0].kind == Kind::Changed);
        CHECK(left->node(diff.differences[0].left).name == name);
        return diff.differences[0].details;
    };
    CHECK(changed("relu", [](Node& node) { node.target = "aten.gelu.default"; }) ==
          Details{"target: aten.relu.default → aten.gelu.default"});
    CHECK(changed("relu", [](Node& node) { node.args.push_back(2.5); }) ==
          Details{"argument 1: absent → 2.5"});
    CHECK(changed("relu", [](Node& node) {
              node.kwargs = {{"alpha", std::int64_t(2)}};
          }) == Details{"argument alpha: absent → 2"});
    CHECK(changed("threshold_backward", [](Node& node) { node.args[2] = 0.25; }) ==
          Details{"argument 2: 0 → 0.25"});
    const auto tensor = [](Node& node, auto&& edit) {
        TensorMeta meta = std::get<TensorMeta>(node.value);
        edit(meta);
        node.value = std::move(meta);
    };
    const Details shape = changed("relu", [&](Node& node) {
        tensor(node, [](TensorMeta& meta) { meta.shape[0] = SymInt(SymExpr("s0")); });
    });
    REQUIRE(shape.size() == 1);
    CHECK(shape[0].rfind("shape: [", 0) == 0);
    CHECK(shape[0].find("→ [s0, ") != std::string::npos);
    CHECK(changed("relu", [&](Node& node) {
              tensor(node, [](TensorMeta& meta) { meta.dtype = DType::BFloat16; });
          }) == Details{"dtype: float32 → bfloat16"});
    CHECK(changed("relu", [&](Node& node) {
              tensor(node, [](TensorMeta& meta) { meta.device = Device{"cuda", 0}; });
          }) == Details{"device: cpu → cuda:0"});
}

TEST_CASE("what one side does not know is no difference" * aotscope::test::needsCorpus()) {
    const GraphPtr left = realGraph();
    GraphBuilder copy(*left);
    for (const NodeId id : left->order()) {
        NodeMeta& node = copy.editMeta(id);
        node.value = std::monostate();
        node.origin = nullptr;
        node.originalAten.clear();
        node.descriptors.clear();
    }
    CHECK(diffGraphs(*left, *copy.finish()).equal());
}

TEST_CASE("a moved node is told with both positions") {
    GraphBuilder graph;
    std::vector<NodeId> nodes;
    for (const char* target :
         {"aten.sin.default", "aten.cos.default", "aten.tan.default", "aten.exp.default"}) {
        if (nodes.empty()) {
            Node input;
            input.name = "x";
            input.op = Opcode::Placeholder;
            nodes.push_back(graph.append(std::move(input)));
        }
        Node node;
        node.name = "call" + std::to_string(nodes.size());
        node.target = target;
        node.args = {nodes[0]};
        nodes.push_back(graph.append(std::move(node)));
    }
    GraphBuilder copy(graph);
    copy.moveBefore(nodes[4], nodes[1]);
    const GraphPtr left = graph.finish();
    const GraphPtr right = copy.finish();
    const GraphDiff diff = diffGraphs(*left, *right);
    REQUIRE(diff.differences.size() == 1);
    CHECK(diff.differences[0].kind == Kind::Moved);
    CHECK(diff.differences[0].left == nodes[4]);
    CHECK(diff.differences[0].details == Details{"position: 4 → 1"});
    CHECK_FALSE(diff.equalUpToNames());
}

TEST_CASE("a removed layer in the middle is all that differs") {
    // A chain of alike layers: every node after the removed one computes from something else.
    const auto chain = [](int layers) {
        GraphBuilder graph;
        Node input;
        input.name = "x";
        input.op = Opcode::Placeholder;
        NodeId last = graph.append(std::move(input));
        for (int layer = 0; layer < layers; ++layer) {
            for (const char* target : {"aten.mm.default", "aten.relu.default"}) {
                Node node;
                node.name = "n" + std::to_string(graph.idBound());
                node.target = target;
                node.args = {last, std::int64_t(layer)};
                last = graph.append(std::move(node));
            }
        }
        return graph.finish();
    };
    const GraphPtr left = chain(20);
    GraphBuilder copy(*left);
    const NodeId mm = NodeId(21);
    const NodeId relu = NodeId(22);
    copy.mapArguments(NodeId(23), [&](NodeId node) { return node == relu ? NodeId(20) : node; });
    copy.erase(mm);
    copy.erase(relu);
    const GraphPtr right = copy.finish();
    const GraphDiff diff = diffGraphs(*left, *right);
    checkSound(*left, *right, diff);
    CHECK(count(diff, Kind::Removed) == 2);
    CHECK(count(diff, Kind::Changed) == 1);
    CHECK(diff.differences.size() == 3);
    CHECK_FALSE(diff.partnerOfLeft[mm.index()].valid());
    CHECK_FALSE(diff.partnerOfLeft[relu.index()].valid());
}

TEST_CASE("differences inside a nested graph are told at the node that holds it") {
    const auto outer = [](double factor) {
        GraphBuilder inner;
        Node node;
        node.name = "y";
        node.target = "aten.mul.Tensor";
        node.args = {factor};
        inner.append(std::move(node));
        GraphBuilder graph;
        Node body;
        body.name = "body";
        body.op = Opcode::GetAttr;
        body.target = "wrap_body_0";
        graph.append(std::move(body));
        graph.addSubgraph("wrap_body_0", inner.finish());
        return graph.finish();
    };
    CHECK(diffGraphs(*outer(1.0), *outer(1.0)).equal());
    const GraphDiff diff = diffGraphs(*outer(1.0), *outer(2.0));
    REQUIRE(diff.differences.size() == 1);
    CHECK(diff.differences[0].details == Details{"graph wrap_body_0: 1 difference"});
}

TEST_CASE("the two partitions of one joint graph differ in what is saved and recomputed" *
          aotscope::test::needsCorpus()) {
    std::size_t compared = 0;
    for (const std::filesystem::path& file : aotscope::test::goldenFiles()) {
        const auto graphs = graphsOf(file.filename().string());
        for (const char* half : {"fw", "bw"}) {
            const auto byDefault = graphs.find(std::string("units/0/partitions/default/") + half);
            const auto byMinCut = graphs.find(std::string("units/0/partitions/min_cut/") + half);
            if (byDefault == graphs.end() || byMinCut == graphs.end()) {
                continue;
            }
            CAPTURE(byDefault->first);
            CAPTURE(file.filename().string());
            const Graph& left = *byDefault->second;
            const Graph& right = *byMinCut->second;
            const GraphDiff diff = diffGraphs(left, right);
            checkSound(left, right, diff);
            // Both come from one joint graph, whose names PyTorch keeps: a call paired with another
            // operator's would be a wrong match.
            for (const NodeDifference& difference : diff.differences) {
                for (const std::string& detail : difference.details) {
                    if (detail.rfind("target: ", 0) == 0) {
                        FAIL_CHECK(left.node(difference.left).name << ": " << detail);
                    }
                }
            }
            ++compared;
        }
    }
    CHECK(compared > 80);
}

TEST_CASE("a recompile of another branch with dynamic shapes differs by its symbols and its branch" *
          aotscope::test::needsCorpus()) {
    const auto graphs = graphsOf("recompiles_guards.json");
    const Graph& left = *graphs.at("units/0/dynamo");
    const Graph& right = *graphs.at("units/1/dynamo");
    const GraphDiff diff = diffGraphs(left, right);
    checkSound(left, right, diff);
    CHECK(diffText(left, right, diff) == "added    s77 (placeholder)\n"
                                         "changed  l_x_: shape: [3, 4] → [s77, 4]\n"
                                         "removed  x = l_x_ * 2.0\n"
                                         "changed  relu: argument 0: x → l_x_; shape: [3, 4] → [s77, 4]\n"
                                         "changed  sum_1: shape: [3] → [s77]\n");
}

TEST_CASE("joint graphs of two runs differ in nothing but what the process counts" *
          aotscope::test::needsCorpus()) {
    std::size_t compared = 0;
    for (const char* file : {"ac_checkpoint.json", "ac_selective_policy.json"}) {
        const auto graphs = graphsOf(file);
        const auto other = graphs.find("units/0/partitions/min_cut/joint_differs");
        REQUIRE(other != graphs.end());
        const GraphDiff diff = diffGraphs(*graphs.at("units/0/joint"), *other->second);
        CHECK(diffText(*graphs.at("units/0/joint"), *other->second, diff) == "");
        ++compared;
    }
    CHECK(compared == 2);
}
