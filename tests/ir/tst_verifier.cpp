#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/verifier.h"
#include "support/corpus_case.h"

#include "ir/golden.h"

#include <doctest/doctest.h>

using namespace aotscope::ir;

namespace {

NodeId add(GraphBuilder& graph, std::string name, Opcode op, std::string target, Arguments args = {}) {
    Node node;
    node.name = std::move(name);
    node.op = op;
    node.target = std::move(target);
    node.args = std::move(args);
    return graph.append(std::move(node));
}

TensorMeta floats(std::initializer_list<std::int64_t> shape) {
    TensorMeta tensor;
    tensor.dtype = DType::Float32;
    tensor.shape.assign(shape.begin(), shape.end());
    return tensor;
}

/// A valid graph: x, a call of `target`, the output.
struct OneCall {
    GraphBuilder graph;
    NodeId x;
    NodeId call;

    explicit OneCall(std::string target) {
        x = add(graph, "x", Opcode::Placeholder, "x");
        call = add(graph, "call", Opcode::CallFunction, std::move(target), {x});
        add(graph, "output", Opcode::Output, "output", {TupleArgument{{call}}});
    }
};

std::vector<std::string> codes(GraphBuilder graph) {
    std::vector<std::string> found;
    for (const VerifierProblem& problem : verifyGraph(*graph.finish())) {
        found.push_back(problem.code);
    }
    return found;
}

using Codes = std::vector<std::string>;

} // namespace

TEST_CASE("no rule is broken in any graph PyTorch made" * aotscope::test::needsCorpus()) {
    std::size_t graphs = 0;
    aotscope::test::forEachGoldenGraph([&](aotscope::test::GoldenGraph& golden) {
        CAPTURE(golden.where);
        const auto graph = graphFromJson(golden.json.dump());
        REQUIRE(graph);
        for (const VerifierProblem& problem : verifyGraph(**graph)) {
            FAIL_CHECK(problem.code << ": " << problem.message);
        }
        ++graphs;
    });
    CHECK(graphs > 400);
}

TEST_CASE("a sound graph has no problem") {
    CHECK(codes(OneCall("aten.relu.default").graph).empty());
}

TEST_CASE("a use before the definition is found and named") {
    OneCall broken("aten.relu.default");
    broken.graph.moveBefore(broken.call, broken.x);
    const GraphPtr graph = broken.graph.finish();
    const std::vector<VerifierProblem> problems = verifyGraph(*graph);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].code == "verify.use_before_definition");
    CHECK(problems[0].message == "node \"call\" uses \"x\" before it is defined.");
    CHECK(problems[0].node == broken.call);
}

TEST_CASE("a use of a node that was taken out or never was is found") {
    OneCall erased("aten.relu.default");
    erased.graph.erase(erased.x);
    CHECK(codes(std::move(erased.graph)) == Codes{"verify.use_before_definition"});
    OneCall never("aten.relu.default");
    never.graph.setArguments(never.call, {NodeId(77)});
    CHECK(codes(std::move(never.graph)) == Codes{"verify.use_before_definition"});
    OneCall itself("aten.relu.default");
    itself.graph.setArguments(itself.call, {itself.call});
    CHECK(codes(std::move(itself.graph)) == Codes{"verify.use_before_definition"});
}

TEST_CASE("two nodes of one name are found") {
    OneCall broken("aten.relu.default");
    broken.graph.rename(broken.call, "x");
    CHECK(codes(std::move(broken.graph)) == Codes{"verify.duplicate_name"});
}

TEST_CASE("missing, repeated and early outputs are found") {
    CHECK(codes({}) == Codes{"verify.no_output"});
    OneCall twice("aten.relu.default");
    add(twice.graph, "output_1", Opcode::Output, "output");
    CHECK(codes(std::move(twice.graph)) == Codes{"verify.several_outputs"});
    OneCall early("aten.relu.default");
    add(early.graph, "late", Opcode::Placeholder, "late");
    CHECK(codes(std::move(early.graph)) == Codes{"verify.after_output"});
}

TEST_CASE("an operator that runs a graph which is not there is found") {
    GraphBuilder graph;
    const NodeId body = add(graph, "body", Opcode::GetAttr, "wrap_body_0");
    add(graph, "wrap", Opcode::CallFunction, "higher_order.wrap", {body});
    add(graph, "output", Opcode::Output, "output");
    GraphBuilder sound(graph);
    // The text of a graph alone says nothing of the graphs inside its module.
    GraphBuilder alone(graph);
    alone.editStyle().notes.emplace("form", "percent");
    CHECK(codes(std::move(alone)).empty());
    CHECK(codes(std::move(graph)) == Codes{"verify.unknown_subgraph"});
    sound.addSubgraph("wrap_body_0", OneCall("aten.relu.default").graph.finish());
    CHECK(codes(std::move(sound)).empty());
}

TEST_CASE("problems inside a subgraph say where they are") {
    GraphBuilder graph;
    add(graph, "output", Opcode::Output, "output");
    graph.addSubgraph("body", GraphBuilder().finish());
    const std::vector<VerifierProblem> problems = verifyGraph(*graph.finish());
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message == "subgraph \"body\": the graph has no output.");
    CHECK_FALSE(problems[0].node.valid());
}

TEST_CASE("too many, missing and repeated arguments are found") {
    OneCall tooMany("aten.relu.default");
    tooMany.graph.setArguments(tooMany.call, {tooMany.x, std::int64_t(1)});
    CHECK(codes(std::move(tooMany.graph)) == Codes{"verify.arity"});
    CHECK(codes(OneCall("aten.mm.default").graph) == Codes{"verify.arity"});
    OneCall repeated("aten.relu.default");
    repeated.graph.setKeywords(repeated.call, {{"self", repeated.x}});
    CHECK(codes(std::move(repeated.graph)) == Codes{"verify.arity"});
    OneCall byKeyword("aten.mm.default");
    byKeyword.graph.setKeywords(byKeyword.call, {{"mat2", byKeyword.x}});
    CHECK(codes(std::move(byKeyword.graph)).empty());
}

TEST_CASE("an unknown keyword is found and an unknown operator is no problem") {
    OneCall keyword("aten.relu.default");
    keyword.graph.setKeywords(keyword.call, {{"speed", true}});
    CHECK(codes(std::move(keyword.graph)) == Codes{"verify.unknown_keyword"});
    OneCall unknown("mylib.relu.default");
    unknown.graph.setKeywords(unknown.call, {{"speed", true}});
    CHECK(codes(std::move(unknown.graph)).empty());
}

TEST_CASE("an element outside a value is found by the value and by the schema") {
    for (const bool known : {true, false}) {
        for (const auto& [element, sound] : {std::pair{1, true}, {2, false}, {-2, true}, {-3, false}}) {
            const int index = element;
            GraphBuilder graph;
            const NodeId x = add(graph, "x", Opcode::Placeholder, "x");
            const NodeId pair =
                add(graph, "pair", Opcode::CallFunction, "aten.max.dim", {x, std::int64_t(0)});
            if (known) {
                auto tuple = std::make_shared<TupleMeta>();
                tuple->elements = {floats({2}), floats({2})};
                graph.editMeta(pair).value = std::shared_ptr<const TupleMeta>(tuple);
            }
            add(graph, "item", Opcode::CallFunction, "_operator.getitem", {pair, std::int64_t(index)});
            add(graph, "output", Opcode::Output, "output");
            CAPTURE(index);
            CHECK(codes(std::move(graph)) == (sound ? Codes{} : Codes{"verify.getitem_range"}));
        }
    }
}

TEST_CASE("metadata that contradicts itself is found") {
    const auto with = [](TensorMeta tensor) {
        OneCall call("aten.relu.default");
        call.graph.editMeta(call.call).value = std::move(tensor);
        return codes(std::move(call.graph));
    };
    const Codes broken{"verify.metadata"};
    CHECK(with(floats({2, 3})).empty());
    TensorMeta strides = floats({2, 3});
    strides.stride = SymInts{1};
    CHECK(with(strides) == broken);
    CHECK(with(floats({-1})) == broken);
    TensorMeta backwards = floats({2});
    backwards.stride = SymInts{-1};
    CHECK(with(backwards) == broken);
    TensorMeta offset = floats({2});
    offset.storageOffset = SymInt(-1);
    CHECK(with(offset) == broken);
    TensorMeta integers = floats({2});
    integers.dtype = DType::Int64;
    integers.requiresGrad = true;
    CHECK(with(integers) == broken);
}

TEST_CASE("a view that changes type or number of elements is found") {
    const auto view = [](TensorMeta tensor) {
        OneCall call("aten.view.default");
        call.graph.setArguments(call.call, {call.x, ListArgument{{std::int64_t(6)}}});
        call.graph.editMeta(call.x).value = floats({2, 3});
        call.graph.editMeta(call.call).value = std::move(tensor);
        return codes(std::move(call.graph));
    };
    CHECK(view(floats({6})).empty());
    CHECK(view(floats({7})) == Codes{"verify.metadata"});
    TensorMeta integers = floats({6});
    integers.dtype = DType::Int32;
    CHECK(view(integers) == Codes{"verify.metadata"});
    TensorMeta symbolic = floats({6});
    symbolic.shape = {SymInt(SymExpr("s0"))};
    CHECK(view(symbolic).empty());
}

TEST_CASE("a value with another number of elements than the operator returns is found") {
    OneCall call("aten.max.dim");
    call.graph.setArguments(call.call, {call.x, std::int64_t(0)});
    auto tuple = std::make_shared<TupleMeta>();
    tuple->elements = {floats({2})};
    call.graph.editMeta(call.call).value = std::shared_ptr<const TupleMeta>(tuple);
    CHECK(codes(std::move(call.graph)) == Codes{"verify.metadata"});
}
