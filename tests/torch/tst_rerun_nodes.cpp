// Nodes run again and again: on the inputs that they had, which are restored, and with changes.
#include "rerun_support.h"
#include "support/corpus_case.h"

#include "load/trace_log.h"

#include <algorithm>
#include <cmath>
#include <stop_token>

using namespace aotscope;
using test::graphOf;
using test::outputOf;
using test::refused;
using test::requestOf;
using test::reran;

namespace {

/// The bytes of a node's value in a run.
aot::TensorData valueInRun(const ir::GraphPtr& graph, const std::string& node, session::RunOptions options) {
    options.keepValues = {node};
    const auto run = test::ran(graph, options);
    REQUIRE(run.values.size() == 1);
    REQUIRE(run.values[0]->tensors.size() == 1);
    return run.values[0]->tensors[0].data;
}

} // namespace

TEST_CASE("a node gives the same value at each repetition as in the run") {
    const auto graph = graphOf("x: \"f32[8, 16]\", w: \"f32[16, 4]\"", R"(
        mm: "f32[8, 4]" = torch.ops.aten.mm.default(x, w)
        tanh: "f32[8, 4]" = torch.ops.aten.tanh.default(mm)
        sum_1: "f32[8]" = torch.ops.aten.sum.dim_IntList(tanh, [1])
        return (sum_1,)
)");
    const session::RerunResult result = reran(requestOf(graph, {"tanh"}, test::seeded(3)));
    CHECK(result.nodes == std::vector<std::string>{"tanh"});
    CHECK(result.device == "cpu");
    CHECK(result.clock == session::RerunClock::Steady);
    REQUIRE(result.inputs.size() == 1);
    CHECK(result.inputs[0].node == "mm");
    CHECK(result.inputs[0].summary.shape == std::vector<std::int64_t>{8, 4});
    REQUIRE(result.outputData.size() == 1);
    CHECK(result.outputData[0].bytes == valueInRun(graph, "tanh", test::seeded(3)).bytes);
    REQUIRE(outputOf(result, "tanh").fromRun);
    CHECK(outputOf(result, "tanh").fromRun->max == 0);
    CHECK(result.restored.empty());
}

TEST_CASE("a subgraph runs as one, and only what leaves it is a result") {
    const auto graph = graphOf("x: \"f32[8]\", y: \"f32[8]\"", R"(
        cat: "f32[16]" = torch.ops.aten.cat.default([x, y])
        exp: "f32[16]" = torch.ops.aten.exp.default(cat)
        cat_1: "f32[32]" = torch.ops.aten.cat.default([exp, cat])
        split = torch.ops.aten.split.Tensor(cat_1, 16)
        getitem: "f32[16]" = split[0]
        getitem_1: "f32[16]" = split[1]
        add: "f32[16]" = torch.ops.aten.add.Tensor(getitem, getitem_1, alpha = 2)
        neg: "f32[16]" = torch.ops.aten.neg.default(add)
        return (neg,)
)");
    const session::RerunResult result =
        reran(requestOf(graph, {"exp", "cat_1", "split", "getitem", "getitem_1", "add"}, test::seeded(1)));
    REQUIRE(result.inputs.size() == 1);
    CHECK(result.inputs[0].node == "cat");
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0].node == "add");
    CHECK(result.outputData[0].bytes == valueInRun(graph, "add", test::seeded(1)).bytes);
    CHECK(result.outputs[0].fromRun->max == 0);
}

TEST_CASE("what a node writes to is put back before each repetition") {
    const auto graph = graphOf("x: \"f32[4]\", y: \"f32[4]\"", R"(
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(x, 2)
        view: "f32[2, 2]" = torch.ops.aten.view.default(mul, [2, 2])
        add_: "f32[4]" = torch.ops.aten.add_.Tensor(mul, y)
        neg: "f32[2, 2]" = torch.ops.aten.neg.default(view)
        return (add_, neg)
)");
    const auto inputs = test::withInputs(
        {{"x", test::floats({4}, {1, 2, 3, 4})}, {"y", test::floats({4}, {10, 20, 30, 40})}});
    // 2 x + y, however often it was added.
    const std::vector<float> sum = {12, 24, 36, 48};
    const session::RerunResult alone = reran(requestOf(graph, {"add_"}, inputs));
    CHECK(test::numbers<float>(alone.outputData[0]) == sum);
    CHECK(alone.restored == std::vector<std::string>{"mul"});
    CHECK(outputOf(alone, "add_").fromRun->max == 0);
    // The view that another node reads shares the memory that is written to.
    const session::RerunResult both = reran(requestOf(graph, {"add_", "neg"}, inputs));
    CHECK(both.restored == std::vector<std::string>{"mul", "view"});
    const auto neg =
        std::ranges::find(both.outputs, "neg", &session::RerunValue::node) - both.outputs.begin();
    CHECK(test::numbers<float>(both.outputData[static_cast<std::size_t>(neg)]) ==
          std::vector<float>{-12, -24, -36, -48});
    // What the graph writes to after a node is as it was when the node ran.
    const session::RerunResult before = reran(requestOf(graph, {"view"}, inputs));
    CHECK(before.restored.empty());
    CHECK(test::numbers<float>(before.outputData[0]) == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("random nodes draw the run's numbers again") {
    const auto graph = graphOf("x: \"f32[64]\"", R"(
        rand: "f32[64]" = torch.ops.aten.rand.default([64], device = device(type='cpu'), pin_memory = False)
        native_dropout = torch.ops.aten.native_dropout.default(x, 0.5, True)
        getitem: "f32[64]" = native_dropout[0]
        rand_1: "f32[64]" = torch.ops.aten.rand.default([64], device = device(type='cpu'), pin_memory = False)
        add: "f32[64]" = torch.ops.aten.add.Tensor(rand, rand_1)
        return (getitem, add)
)");
    const session::RerunResult result =
        reran(requestOf(graph, {"native_dropout", "getitem"}, test::seeded(5)));
    CHECK(result.restored == std::vector<std::string>{"the random generator"});
    CHECK(outputOf(result, "getitem").fromRun->max == 0);
    const session::RerunResult later = reran(requestOf(graph, {"rand_1"}, test::seeded(5)));
    CHECK(outputOf(later, "rand_1").fromRun->max == 0);
}

TEST_CASE("a rerun in float64 differs from the run by the node's own rounding") {
    const auto graph = graphOf("x: \"f32[1]\"", R"(
        div: "f32[1]" = torch.ops.aten.div.Tensor(x, 3)
        _to_copy: "f32[1]" = torch.ops.aten._to_copy.default(div, dtype = torch.float32)
        return (_to_copy,)
)");
    auto request = requestOf(graph, {"div", "_to_copy"}, test::withInputs({{"x", test::floats({1}, {1})}}));
    request.settings.changes.dtype = ir::DType::Float64;
    const session::RerunResult result = reran(request);
    // A third in float32 and in float64, as IEEE 754 has them.
    const double rounding = std::abs(double(1.0F / 3.0F) - 1.0 / 3.0);
    const session::ValueDifference& difference = *outputOf(result, "_to_copy").fromRun;
    CHECK(outputOf(result, "_to_copy").summary.dtype == "float64");
    CHECK(difference.max == doctest::Approx(rounding).epsilon(1e-9));
    CHECK(difference.mean == difference.max);
    CHECK(difference.relative == doctest::Approx(rounding / double(1.0F / 3.0F)));
    CHECK(difference.worstIndex == std::vector<std::int64_t>{0});
    CHECK(difference.worstValue == 1.0 / 3.0);
    request.settings.changes.dtype = ir::DType::BFloat16;
    // 0.333984375 is the bfloat16 next to a third.
    CHECK(outputOf(reran(request), "_to_copy").fromRun->worstValue == 0.333984375);
}

TEST_CASE("the error of a rerun in another dtype is the one that the reference run finds") {
    const auto graph = graphOf("x: \"f32[32, 64]\", w: \"f32[64, 32]\"", R"(
        mm: "f32[32, 32]" = torch.ops.aten.mm.default(x, w)
        return (mm,)
)");
    auto request = requestOf(graph, {"mm"}, test::seeded(2));
    request.settings.changes.dtype = ir::DType::Float64;
    const double twisted = outputOf(reran(request), "mm").fromRun->max;
    const auto compared = test::backend().answer(session::ReferenceCall{graph, graph, test::seeded(2)});
    REQUIRE(compared.ok());
    CHECK(twisted > 0);
    CHECK(twisted == doctest::Approx(compared->nodes.back().own.absolute).epsilon(1e-6));
}

TEST_CASE("other sizes: by symbols, and by inputs") {
    const auto graph = graphOf("s0: \"Sym(s0)\", x: \"f32[s0, 2]\"", R"(
        exp: "f32[s0, 2]" = torch.ops.aten.exp.default(x)
        return (exp,)
)");
    auto request = requestOf(graph, {"exp"}, test::withSymbols({{"s0", 4}}));
    CHECK(outputOf(reran(request), "exp").summary.shape == std::vector<std::int64_t>{4, 2});
    request.settings.changes.symbols = {{"s0", 16}};
    const session::RerunResult larger = reran(request);
    CHECK(outputOf(larger, "exp").summary.shape == std::vector<std::int64_t>{16, 2});
    CHECK(larger.symbols.at("s0") == 16);

    const auto fixed = graphOf("x: \"f32[2]\"", R"(
        neg: "f32[2]" = torch.ops.aten.neg.default(x)
        return (neg,)
)");
    auto sized = requestOf(fixed, {"neg"}, test::withInputs({{"x", test::floats({2}, {1, 2})}}));
    sized.settings.changes.sizes = {{"x", {5}}};
    const session::RerunResult repeated = reran(sized);
    CHECK(test::numbers<float>(repeated.outputData[0]) == std::vector<float>{-1, -2, -1, -2, -1});
    CHECK(outputOf(repeated, "neg").fromRun->incomparable == "other sizes: [5] and [2]");
    sized.settings.changes.sizes = {{"x", {1, 2}}};
    CHECK(refused(sized).code == "rerun.twist");
    sized.settings.changes.sizes = {{"z", {2}}};
    CHECK(refused(sized).code == "rerun.twist");
}

TEST_CASE("results are compared with a baseline's values") {
    const auto graph = graphOf("x: \"f32[3]\"", R"(
        mul: "f32[3]" = torch.ops.aten.mul.Tensor(x, 2)
        return (mul,)
)");
    auto request = requestOf(graph, {"mul"}, test::withInputs({{"x", test::floats({3}, {1, 2, 3})}}));
    request.baseline = std::make_shared<const session::RerunResult>(reran(request));
    CHECK(outputOf(reran(request), "mul").fromBaseline->max == 0);
    request.run = test::withInputs({{"x", test::floats({3}, {1, 2, 5})}});
    const session::ValueDifference difference = *outputOf(reran(request), "mul").fromBaseline;
    CHECK(difference.max == 4);
    CHECK(difference.mean == doctest::Approx(4.0 / 3.0));
    CHECK(difference.relative == doctest::Approx(4.0 / 6.0));
    CHECK(difference.worstIndex == std::vector<std::int64_t>{2});
    CHECK(difference.worstValue == 10);
    CHECK(difference.worstExpected == 6);
}

TEST_CASE("deterministic algorithms: an operator that has none is an error, and only then") {
    const auto graph = graphOf("x: \"f32[4]\"", R"(
        cumsum: "f32[4]" = torch.ops.aten.cumsum.default(x, 0)
        empty: "f32[2]" = torch.ops.aten.empty.memory_format([2], device = device(type='cpu'))
        resize_: "f32[4]" = torch.ops.aten.resize_.default(empty, [4])
        return (cumsum,)
)");
    auto request = requestOf(graph, {"cumsum"});
    request.settings.changes.deterministic = true;
    CHECK(outputOf(reran(request), "cumsum").fromRun->max == 0);
    // Its memory cannot be put back.
    CHECK(refused(requestOf(graph, {"resize_"})).code == "rerun.changes_storage");
}

TEST_CASE("failures name the node and its error; nothing is made up") {
    const auto graph = graphOf("x: \"f32[4]\"", R"(
        custom: "f32[4]" = torch.ops.corpus.unknown.default(x)
        view: "f32[2, 2]" = torch.ops.aten.view.default(custom, [2, 2])
        neg: "f32[2, 2]" = torch.ops.aten.neg.default(view)
        return (neg,)
)");
    CHECK(refused(requestOf(graph, {"custom"})).code == "rerun.stand_in");
    // What depends on a made-up value can run, and says so.
    const session::RerunResult follows = reran(requestOf(graph, {"neg"}));
    CHECK(std::ranges::any_of(follows.notes, [](const std::string& note) {
        return note.find("corpus.unknown") != std::string::npos;
    }));
    auto sized = requestOf(graph, {"view"});
    sized.settings.changes.sizes = {{"custom", {6}}};
    const base::Error error = refused(sized);
    CHECK(error.place.node == "view");
    CHECK(error.message.find("aten.view.default") != std::string::npos);
    auto elsewhere = requestOf(graph, {"neg"});
    elsewhere.settings.changes.device = "tpu";
    CHECK(refused(elsewhere).code == "run.device_name");
}

TEST_CASE("a rerun is canceled between two repetitions") {
    const auto graph = graphOf("x: \"f32[4]\"", R"(
        neg: "f32[4]" = torch.ops.aten.neg.default(x)
        return (neg,)
)");
    auto request = requestOf(graph, {"neg"});
    request.settings.repetitions = 1'000'000'000;
    std::stop_source stop;
    const base::Progress progress(
        [&](const base::ProgressState& state) {
            if (state.stage == "Repeating") {
                stop.request_stop();
            }
        },
        stop.get_token());
    const auto result = test::backend().answer(request, progress);
    REQUIRE_FALSE(result.ok());
    CHECK(base::isCanceled(result.error()));
}

TEST_CASE("the loop adds less than 2 % to a kernel of some size, and cold caches are colder") {
    const auto graph = graphOf("x: \"f32[1024, 1024]\"", R"(
        neg: "f32[1024, 1024]" = torch.ops.aten.neg.default(x)
        add: "f32[1024, 1024]" = torch.ops.aten.add.Tensor(neg, x)
        return (add,)
)");
    auto request = requestOf(graph, {"neg", "add"});
    request.settings.repetitions = 30;
    request.keepOutputs = false;
    const session::RerunResult warm = reran(request);
    const auto times = session::rerunTimes(warm.samples);
    CHECK(warm.overheadNanoseconds > 0);
    CHECK(warm.overheadNanoseconds < 0.02 * times->minimum);
    request.settings.coldCache = true;
    const session::RerunResult cold = reran(request);
    CHECK(cold.samples.size() == 30);
    CHECK(outputOf(cold, "add").fromRun->max == 0);
}

namespace {

bool callsOperator(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction;
}

/// Nodes of a graph, evenly spread.
std::vector<std::string> someNodes(const ir::Graph& graph, std::size_t most) {
    std::vector<std::string> names;
    for (const ir::NodeId id : graph.order()) {
        if (callsOperator(graph.node(id))) {
            names.push_back(graph.node(id).name);
        }
    }
    std::vector<std::string> some;
    const std::size_t step = std::max<std::size_t>(1, names.size() / most);
    for (std::size_t i = 0; i < names.size(); i += step) {
        some.push_back(names[i]);
    }
    return some;
}

struct CorpusTotals {
    int graphs = 0;
    int nodes = 0;
    int wholeGraphs = 0;
    int restored = 0;
};

/// The values that the nodes give again are those of the run, or differ as two runs of one kernel may whose
/// tensors lie elsewhere in memory.
void checkSame(const std::string& what, const session::RerunRequest& request, CorpusTotals& totals) {
    const auto result = test::backend().answer(request);
    const bool hasNoMeaning = !result.ok() && (result.error().code == "rerun.stand_in" ||
                                               result.error().code == "rerun.changes_storage");
    if (hasNoMeaning) {
        return;
    }
    if (!result.ok()) {
        FAIL_CHECK(what << ": " << result.error().text());
        return;
    }
    totals.restored += result->restored.empty() ? 0 : 1;
    for (const session::RerunValue& value : result->outputs) {
        const bool isSame =
            value.fromRun && value.fromRun->incomparable.empty() && value.fromRun->relative < 1e-6;
        CHECK_MESSAGE(isSame, what << ": " << value.node << " differs by "
                                   << (value.fromRun ? value.fromRun->max : -1) << " "
                                   << (value.fromRun ? value.fromRun->incomparable : ""));
    }
}

void rerunGraph(const std::string& name, const ir::GraphPtr& graph, const session::RunOptions& options,
                CorpusTotals& totals) {
    ++totals.graphs;
    for (const std::string& node : someNodes(*graph, 6)) {
        auto request = requestOf(graph, {node}, options);
        request.settings.repetitions = 2;
        request.keepOutputs = false;
        checkSame(name + " " + node, request, totals);
        ++totals.nodes;
    }
    auto whole = requestOf(graph, someNodes(*graph, graph->size()), options);
    whole.settings.repetitions = 2;
    whole.keepOutputs = false;
    checkSame(name, whole, totals);
    ++totals.wholeGraphs;
}

} // namespace

TEST_CASE("nodes of corpus graphs, and all of them together, give the values of their run" *
          test::needsCorpus()) {
    CorpusTotals totals;
    for (const char* program :
         {"mlp_sgd", "conv_bn_relu", "dropout_rng", "mut_input_mul", "mut_input_inference",
          "dyn_transformer_seq", "hop_cond", "invoke_subgraph_mlp", "moe_topk", "amp_autocast",
          "custom_op_mutating", "transformer_encoder_layer"}) {
        const auto log = load::TraceLog::read(test::corpusTrace(program));
        REQUIRE_MESSAGE(log.ok(), program);
        for (std::size_t i = 0; i < (*log)->compiles().size(); ++i) {
            const load::CompileIndex compile(static_cast<std::uint32_t>(i));
            session::RunOptions options = test::seeded(1);
            for (const auto& [symbol, value] : (*log)->symbolValues(compile)) {
                options.symbols.emplace(symbol, value);
            }
            for (const load::Artifact& artifact : (*log)->artifacts(compile)) {
                using Kind = load::RecordKind;
                if (artifact.kind != Kind::AotForwardGraph && artifact.kind != Kind::AotBackwardGraph &&
                    artifact.kind != Kind::AotInferenceGraph) {
                    continue;
                }
                const auto graph = ir::parseGraphText((*log)->payload(artifact.record));
                REQUIRE(graph.ok());
                rerunGraph(std::string(program) + " " + artifact.name, *graph, options, totals);
            }
        }
    }
    MESSAGE(totals.graphs << " graphs, " << totals.nodes << " nodes alone, " << totals.restored
                          << " reruns that put something back");
    CHECK(totals.graphs >= 15);
    CHECK(totals.nodes >= 80);
    CHECK(totals.restored >= 3);
}
