// Pauses of a trace, on programs whose joint graphs PyTorch recorded.
#include "run_support.h"

#include "ir/compare/first_difference.h"
#include "ir/json/graph_json.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

using namespace aotscope;
using Json = nlohmann::ordered_json;
using session::PauseAnswer;
using session::TracePause;
using Kind = session::PauseAnswer::Kind;

namespace {

/// The first unit of a golden file: what to trace, and PyTorch's joint graph.
struct Golden {
    aot::RetraceRequest request;
    ir::GraphPtr joint;

    explicit Golden(const std::string& name) {
        const Json all = Json::parse(test::readPlainOrXz(test::corpusDir() / "golden" / (name + ".json")));
        const Json& unit = all["units"][0];
        request.program = test::parsed(unit["dynamo"]["text"].get<std::string>());
        joint = *ir::graphFromJson(unit["joint"].dump());
        for (const Json& example : unit["example_inputs"]) {
            aot::RetraceInput input;
            input.requiresGrad = example.value("requires_grad", false);
            input.isParameter = example.value("parameter", false);
            request.inputs.push_back(input);
            if (example["kind"] == "symint") {
                request.symbolHints[example["expr"].get<std::string>()] = example["hint"].get<std::int64_t>();
            }
        }
    }
};

/// The pauses of a trace, with a fixed answer to each unless `answer` provides another.
struct Paused {
    std::vector<TracePause> pauses;
    base::Result<aot::RetraceResult> result = base::Error{};

    [[nodiscard]] std::vector<std::string> nodes() const {
        std::vector<std::string> names;
        for (const TracePause& pause : pauses) {
            names.push_back(pause.node);
        }
        return names;
    }
};

Paused trace(const aot::RetraceRequest& request, const std::vector<std::string>& breakpoints,
             const std::function<PauseAnswer(const TracePause&, std::size_t)>& answer = {}) {
    Paused paused;
    session::TracePauses pauses;
    for (const std::string& text : breakpoints) {
        pauses.breakpoints.push_back(*session::Breakpoint::parse(text));
    }
    pauses.atStart = breakpoints.empty();
    pauses.onPause = [&](TracePause pause) {
        paused.pauses.push_back(std::move(pause));
        return answer ? answer(paused.pauses.back(), paused.pauses.size()) : PauseAnswer{Kind::Resume};
    };
    paused.result = test::backend().answer(session::RetraceCall{request, pauses});
    return paused;
}

bool isCall(const ir::Node& node) {
    return node.op == ir::Opcode::Output || node.target.starts_with("aten.");
}

std::vector<std::string> callNames(const ir::Graph& graph,
                                   const std::function<bool(const ir::Node&)>& wanted = isCall) {
    std::vector<std::string> names;
    for (const ir::NodeId id : graph.order()) {
        if (wanted(graph.node(id))) {
            names.push_back(graph.node(id).name);
        }
    }
    return names;
}

/// Shapes of the operators' results with symbol hints, in order.
std::vector<std::string> shapesOf(const ir::Graph& graph, const ir::SymbolBindings& hints) {
    std::vector<std::string> shapes;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        const ir::TensorMeta* meta = ir::asTensor(node.value);
        if (node.target.starts_with("aten.") && meta != nullptr) {
            std::string text = node.target;
            for (const ir::SymInt& size : meta->shape) {
                text += " " + std::to_string(size.value(hints).value_or(-1));
            }
            shapes.push_back(text);
        }
    }
    return shapes;
}

/// A program that makes a tensor of the default dtype.
aot::RetraceRequest ofDefaultDtype(ir::DType dtype) {
    aot::RetraceRequest request;
    request.program = test::graphOf("L_x_: \"f32[4][1]cpu\"",
                                    "        made = torch.ones(4)\n"
                                    "        product: \"f32[4][1]cpu\" = L_x_ * made;  L_x_ = made = None\n"
                                    "        return (product,)\n");
    request.inputs.resize(1);
    request.state.defaultDtype = dtype;
    return request;
}

} // namespace

TEST_CASE("stepping meets every recorded node once, and changes nothing" * test::needsCorpus()) {
    for (const char* name : {"mlp_sgd", "hooks_sym_dynamic"}) {
        const Golden golden(name);
        const Paused stepped = trace(golden.request, {}, [](const TracePause&, std::size_t) {
            return PauseAnswer{Kind::NextOperator};
        });
        REQUIRE(stepped.result.ok());
        const auto difference = ir::firstDifference(*stepped.result->function.graph, *golden.joint);
        CHECK_FALSE_MESSAGE(difference.has_value(), name << (difference ? difference->left : ""));
        CHECK(stepped.pauses.front().reason == "start");
        // Nodes that nothing uses are recorded too, and go at the end.
        std::vector<std::string> met = stepped.nodes();
        std::vector<std::string> kept;
        const std::vector<std::string> expected = callNames(*golden.joint);
        std::ranges::copy_if(met, std::back_inserter(kept), [&](const std::string& node) {
            return std::ranges::find(expected, node) != expected.end();
        });
        CHECK(kept == expected);
        for (const TracePause& pause : stepped.pauses) {
            REQUIRE(pause.graph != nullptr);
            CHECK_FALSE(pause.graph->tryFind(pause.node).has_value());
        }
        const auto lastForward = std::ranges::find_if(stepped.pauses, [](const TracePause& pause) {
            return pause.phase == session::TracePhase::Backward;
        });
        REQUIRE(lastForward != stepped.pauses.end());
        CHECK(lastForward->programNode.empty());
    }
}

TEST_CASE("an operator's breakpoint meets each call of it" * test::needsCorpus()) {
    const Golden golden("mlp_sgd");
    const Paused paused = trace(golden.request, {"op:mm"});
    const auto isProduct = [](const ir::Node& node) { return node.target == "aten.mm.default"; };
    CHECK(paused.nodes() == callNames(*golden.joint, isProduct));
    REQUIRE_FALSE(paused.pauses.empty());
    const TracePause& first = paused.pauses.front();
    CHECK(first.reason == "breakpoint op:mm");
    CHECK(first.call == "torch.ops.aten.mm.default(tangents_1, t_2)");
    CHECK(first.phase == session::TracePhase::Backward);
    CHECK(first.symbols.empty());
}

TEST_CASE("lines, nodes of the program, nodes of the graph and arithmetic on symbols are met" *
          test::needsCorpus()) {
    const Golden golden("dyn_mark_symint_saved");
    const Paused lines = trace(golden.request, {"zoo.py:454"});
    // Forward, and again when the backward comes to it.
    CHECK(lines.nodes() == std::vector<std::string>{"view", "clone_1"});
    CHECK(lines.pauses.at(0).source->code == "y = (x.reshape(b * s, d) @ w).reshape(b, s, -1)");
    CHECK(trace(golden.request, {"zoo.py:455"}).nodes() == std::vector<std::string>{"sum_1"});
    const Paused program = trace(golden.request, {"program:matmul"});
    CHECK(program.nodes() == std::vector<std::string>{"mm"});
    CHECK(program.pauses.at(0).programNode == "matmul");
    CHECK(trace(golden.request, {"node:mm_1", "node:sum_1"}).nodes() ==
          std::vector<std::string>{"sum_1", "mm_1"});
    CHECK(trace(golden.request, {"node:floordiv"}).nodes() == std::vector<std::string>{"clone"});
    CHECK(trace(golden.request, {"node:none_such", "op:conv2d"}).pauses.empty());
}

TEST_CASE("steps over the program's nodes and source lines" * test::needsCorpus()) {
    const Golden golden("dyn_mark_symint_saved");
    const Paused over = trace(golden.request, {"program:matmul"}, [](const TracePause&, std::size_t count) {
        return PauseAnswer{count < 3 ? Kind::NextProgramNode : Kind::Resume};
    });
    std::vector<std::string> programNodes;
    for (const TracePause& pause : over.pauses) {
        programNodes.push_back(pause.programNode);
    }
    CHECK(programNodes == std::vector<std::string>{"matmul", "y", "sum_1"});
    const Paused lines = trace(golden.request, {"program:matmul"}, [](const TracePause&, std::size_t count) {
        return PauseAnswer{count < 3 ? Kind::NextLine : Kind::Resume};
    });
    CHECK(lines.nodes() == std::vector<std::string>{"mm", "sum_1", "clone_1"});
}

TEST_CASE("a guard is met where it is added" * test::needsCorpus()) {
    const Golden golden("dyn_mark_symint_saved");
    const Paused paused = trace(golden.request, {"guard"});
    REQUIRE(paused.result.ok());
    std::vector<std::string> met;
    for (const TracePause& pause : paused.pauses) {
        met.push_back(pause.guards.back().expression.text());
        CHECK(pause.reason == "guard " + met.back() + " added");
    }
    std::vector<std::string> all;
    for (const aot::RetraceGuard& guard : paused.result->function.guards) {
        all.push_back(guard.expression.text());
    }
    CHECK(met == all);
}

TEST_CASE("what goes through for equal sizes alone does so with breakpoints too") {
    aot::RetraceRequest request;
    request.program =
        test::graphOf("s77: \"Sym(s77)\", s27: \"Sym(s27)\", L_x_: \"f32[s77, s27][s27, 1]cpu\", "
                      "s94: \"Sym(s94)\", s17: \"Sym(s17)\", L_y_: \"f32[s94, s17][s17, 1]cpu\"",
                      "        z = torch.mm(L_x_, L_y_)\n        w = z.relu()\n        return (w,)\n");
    request.inputs.resize(6);
    request.symbolHints = {{"s77", 3}, {"s27", 8}, {"s94", 8}, {"s17", 5}};
    const auto unpaused = test::backend().answer(session::RetraceCall{request});
    REQUIRE_MESSAGE(unpaused.ok(), unpaused.error().text());
    const auto isAsUnpaused = [&](const Paused& paused) {
        REQUIRE_MESSAGE(paused.result.ok(), paused.result.error().text());
        CHECK_FALSE(
            ir::firstDifference(*paused.result->function.graph, *unpaused->function.graph).has_value());
    };
    // Each is met once, however many attempts there are.
    const Paused atNode = trace(request, {"node:mm"});
    isAsUnpaused(atNode);
    REQUIRE(atNode.pauses.size() == 1);
    CHECK(atNode.pauses.front().guards.front().expression.text() == "Eq(s27, s94)");
    // What an attempt found, the last one begins with.
    const Paused atGuard = trace(request, {"guard"});
    isAsUnpaused(atGuard);
    REQUIRE(atGuard.pauses.size() == 1);
    CHECK(atGuard.pauses.front().reason == "guard Eq(s27, s94) found by the previous attempt");
    CHECK(atGuard.pauses.front().symbols.size() == 4);
    // A fact is known to the attempts as well.
    const Paused told = trace(request, {"node:mm"}, [&](const TracePause&, std::size_t count) {
        return count == 1 ? PauseAnswer{Kind::AddFact, "Eq(s77, 3)"} : PauseAnswer{Kind::Resume};
    });
    REQUIRE_MESSAGE(told.result.ok(), told.result.error().text());
    REQUIRE(told.pauses.size() == 2);
    CHECK(told.pauses.back().reason == "fact Eq(s77, 3) taken");
    const std::vector<std::string> left = told.result->function.graph->symbols();
    CHECK(std::ranges::find(left, "s77") == left.end());
    // A file of a graph alone tells no sizes.
    request.symbolHints.clear();
    CHECK(trace(request, {"node:mm"}).result.ok());
}

TEST_CASE("a fact makes the whole trace know it" * test::needsCorpus()) {
    const Golden golden("dyn_mark_symint_saved");
    const std::vector<std::string> facts = {"Eq(s77, 5)", "s99 > 2", "s77 +", "s77", "Eq(s77, 4)"};
    const Paused paused = trace(golden.request, {"node:mm_1"}, [&](const TracePause&, std::size_t count) {
        return count <= facts.size() ? PauseAnswer{Kind::AddFact, facts[count - 1]}
                                     : PauseAnswer{Kind::Resume};
    });
    REQUIRE(paused.result.ok());
    REQUIRE(paused.pauses.size() == facts.size() + 1);
    // Each that cannot be taken says why, at the same place.
    CHECK(paused.pauses[1].refused.find("s77 = 4") != std::string::npos);
    CHECK(paused.pauses[2].refused.find("s99") != std::string::npos);
    CHECK(paused.pauses[3].refused.find("cannot be read") != std::string::npos);
    CHECK(paused.pauses[4].refused.find("not a relation") != std::string::npos);
    const TracePause& after = paused.pauses.back();
    CHECK(after.refused.empty());
    CHECK(after.reason == "fact Eq(s77, 4) taken");
    CHECK(after.target == "aten.mm.default");
    CHECK(after.phase == session::TracePhase::Backward);
    const auto symbol = std::ranges::find(after.symbols, std::string("s77"), &session::TraceSymbol::name);
    REQUIRE(symbol != after.symbols.end());
    CHECK(symbol->replacedBy == "4");

    // PyTorch's graph with the symbol's value put in.
    const ir::Graph& made = *paused.result->function.graph;
    CHECK(shapesOf(made, golden.request.symbolHints) == shapesOf(*golden.joint, golden.request.symbolHints));
    const std::vector<std::string> left = made.symbols();
    CHECK(std::ranges::find(left, "s77") == left.end());
    CHECK(std::ranges::find(left, "s27") != left.end());
    CHECK(paused.result->function.guards.front().expression.text() == "Eq(s77, 4)");
    CHECK(paused.result->function.guards.front().byUser);
}

TEST_CASE("a relation that a fact implies is no guard of its own") {
    const auto guardsOf = [](const std::string& call, const std::string& fact) {
        aot::RetraceRequest request;
        request.program = test::graphOf("s77: \"Sym(s77)\", L_x_: \"f32[s77, 4][4, 1]cpu\"",
                                        "        y = " + call + "\n        return (y,)\n");
        request.inputs.resize(2);
        request.symbolHints["s77"] = 16;
        const Paused paused = trace(request, {}, [&](const TracePause&, std::size_t count) {
            return count == 1 && !fact.empty() ? PauseAnswer{Kind::AddFact, fact} : PauseAnswer{Kind::Resume};
        });
        REQUIRE(paused.result.ok());
        std::vector<std::string> guards;
        for (const aot::RetraceGuard& guard : paused.result->function.guards) {
            guards.push_back(guard.expression.text());
            CHECK(guard.node == (guard.byUser ? "" : "y"));
        }
        return guards;
    };
    using Guards = std::vector<std::string>;
    const std::string distance = "torch.cdist(L_x_, L_x_)";
    CHECK(guardsOf(distance, "") == Guards{"Not(s77 > 25)"});
    CHECK(guardsOf(distance, "s77 < 20") == Guards{"s77 < 20"});
    CHECK(guardsOf(distance, "Le(s77, 25)") == Guards{"Le(s77, 25)"});
    CHECK(guardsOf(distance, "26 > s77") == Guards{"26 > s77"});
    CHECK(guardsOf(distance, "s77 > 2") == Guards{"s77 > 2", "Not(s77 > 25)"});
    CHECK(guardsOf(distance, "s77 < 40") == Guards{"s77 < 40", "Not(s77 > 25)"});
    CHECK(guardsOf(distance, "s77*s77 < 400") == Guards{"s77*s77 < 400", "Not(s77 > 25)"});
    CHECK(guardsOf("L_x_[7]", "") == Guards{"s77 > -8 & s77 > 7"});
    CHECK(guardsOf("L_x_[7]", "s77 > 7") == Guards{"s77 > 7"});
    CHECK(guardsOf("L_x_[7]", "s77 > 6") == Guards{"s77 > 6", "s77 > -8 & s77 > 7"});
}

TEST_CASE("a trace that is ended at a pause leaves nothing behind" * test::needsCorpus()) {
    const Golden golden("mlp_sgd");
    // Often enough for autograd to lose count, if it were left in the midst of a backward.
    for (int i = 0; i < 100; ++i) {
        const Paused ended = trace(golden.request, {"op:mm"},
                                   [](const TracePause&, std::size_t) { return PauseAnswer{Kind::Abort}; });
        REQUIRE_FALSE(ended.result.ok());
        CHECK(base::isCanceled(ended.result.error()));
        CHECK(ended.pauses.size() == 1);
    }
    const auto whole = test::backend().answer(session::RetraceCall{golden.request});
    REQUIRE(whole.ok());
    CHECK_FALSE(ir::firstDifference(*whole->function.graph, *golden.joint).has_value());
}

TEST_CASE("what a failed trace ran on zeros is no note of the next one") {
    // Both on this thread, as all traces with pauses are.
    const auto program = [](const std::string& after) {
        aot::RetraceRequest request;
        request.program =
            test::graphOf("L_x_: \"f32[5, 2][2, 1]cpu\"",
                          "        edges = torch.ops.aten._histogramdd_bin_edges.default(L_x_, [3, 4])\n"
                          "        first: \"f32[4][1]cpu\" = edges[0];  edges = None\n" +
                              after + "        return (first,)\n");
        request.inputs.resize(1);
        return request;
    };
    const auto ranOnZeros = [](const Paused& paused) {
        return std::ranges::count_if(paused.result->notes, [](const std::string& note) {
            return note.find("by running it on zeros") != std::string::npos;
        });
    };
    const Paused good = trace(program({}), {});
    REQUIRE_MESSAGE(good.result.ok(), good.result.error().text());
    CHECK(ranOnZeros(good) == 1);
    CHECK_FALSE(trace(program("        bad = torch.mm(L_x_, L_x_)\n"), {}).result.ok());
    const Paused next = trace(ofDefaultDtype(ir::DType::Float32), {});
    REQUIRE(next.result.ok());
    CHECK(ranOnZeros(next) == 0);
}

TEST_CASE("a trace that is ended while another runs leaves the process's state to that one") {
    std::promise<void> stands;
    std::promise<void> ended;
    base::Result<aot::RetraceResult> result = base::Error{};
    std::thread meanwhile;
    const Paused first = trace(ofDefaultDtype(ir::DType::Float64), {}, [&](const TracePause&, std::size_t) {
        meanwhile = std::thread([&] {
            session::TracePauses pauses;
            pauses.atStart = true;
            pauses.onPause = [&](const TracePause&) {
                stands.set_value();
                ended.get_future().wait();
                return PauseAnswer{Kind::Resume};
            };
            result = test::backend().answer(session::RetraceCall{ofDefaultDtype(ir::DType::Float16), pauses});
        });
        CHECK(stands.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
        return PauseAnswer{Kind::Abort};
    });
    REQUIRE_MESSAGE(meanwhile.joinable(), (first.result.ok() ? "" : first.result.error().text()));
    ended.set_value();
    meanwhile.join();
    CHECK_FALSE(first.result.ok());
    REQUIRE_MESSAGE(result.ok(), result.error().text());
    const auto valueIn = [](const aot::RetraceResult& traced) {
        const ir::Graph& graph = *traced.function.graph;
        return ir::asTensor(graph.node(*graph.tryFind("ones")).value);
    };
    const ir::TensorMeta* made = valueIn(*result);
    REQUIRE(made != nullptr);
    CHECK(made->dtype == ir::DType::Float16);
    const auto after = test::backend().answer(session::RetraceCall{ofDefaultDtype(ir::DType::Float32)});
    REQUIRE(after.ok());
    CHECK(valueIn(*after)->dtype == ir::DType::Float32);
}
