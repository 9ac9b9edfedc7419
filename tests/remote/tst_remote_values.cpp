// What is sent to an engine and back is the same value: compiles, their pauses, and small things. Whatever
// else arrives is an error.
#include "aot/golden_units.h"
#include "sent_values.h"

#include "aot/compiled_function_json.h"

#include <iostream>
#include <random>

using namespace aotscope;
using remote::decode;
using remote::encode;
using test::allBytes;
using test::checkSame;
using test::fullRequest;
using test::fullRun;
using test::sameData;
using test::sent;
using test::smallGraph;

namespace {

aot::RetraceResult fullResult(const remote::KnownGraphs& known) {
    aot::RetraceResult result;
    result.function.path = aot::TracePath::Autograd;
    result.function.reason = "an input requires grad";
    result.function.program = known.front();
    result.function.graph = smallGraph("2");
    result.function.guards = {
        {ir::SymExpr("Eq(s77, 5)"), "add", ir::SourceLocation{"m.py", 4, "forward", "x + y"}, true}};
    result.nanoseconds = 123;
    result.libTorch = aot::TorchVersion{2, 15};
    result.changedOperators = {"aten.log10.default"};
    result.stages = {{aot::TraceStageKind::Program, result.function.program, ""},
                     {aot::TraceStageKind::Decomposed, nullptr, "nothing to decompose"},
                     {aot::TraceStageKind::Joint, result.function.graph, ""}};
    aot::EagerNumbers numbers;
    numbers.skipped = "no";
    numbers.descriptors = {{ir::AOTOutput(ir::PlainAOTOutput{1})},
                           {ir::AOTInput(ir::PlainAOTInput{2})},
                           {ir::NoneDescriptor{}},
                           {{}, true}};
    numbers.traced = {{"float32", {1}, "\x01\x02\xFF\xFE"}};
    numbers.eager = {std::nullopt, aot::TensorData{"bool", {}, "\x01"}};
    numbers.spread = {0.5};
    result.numbers = std::move(numbers);
    result.notes = {"shapes computed on zeros"};
    return result;
}

/// Every beginning of a body, and bodies with a byte changed, are read or refused; nothing else happens.
template<typename T>
void hurt(const std::string& body, const remote::KnownGraphs& known) {
    REQUIRE(decode<T>(body, known).ok());
    for (std::size_t length = 0; length < body.size(); length += 1 + body.size() / 300) {
        const auto read = decode<T>(body.substr(0, length), known);
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == "remote.malformed");
    }
    std::mt19937 random(7); // NOLINT: the same bytes each time
    int refused = 0;
    for (int times = 0; times < 3000; ++times) {
        std::string changed = body;
        changed[random() % changed.size()] = static_cast<char>(random());
        const auto read = decode<T>(changed, known);
        if (!read) {
            ++refused;
            CHECK_FALSE(read.error().code.empty());
            CHECK_FALSE(read.error().message.empty());
        }
    }
    CHECK(refused > 0);
}

} // namespace

TEST_CASE("requests arrive as they were sent") {
    const session::RetraceCall call{fullRequest(),
                                    {{{session::Breakpoint::Kind::Line, "model.py", 41},
                                      {session::Breakpoint::Kind::Stage, "joint trace"}},
                                     true,
                                     [](const session::TracePause&) { return session::PauseAnswer(); }}};
    const auto& [request, pauses] = sent(call);
    const auto& [breakpoints, atStart, onPause] = pauses;
    checkSame(request, call.request);
    CHECK(breakpoints == call.pauses.breakpoints);
    CHECK(atStart);
    CHECK(onPause);
    // What is not set stays so.
    session::RetraceCall bare;
    bare.request.program = smallGraph();
    checkSame(sent(bare).request, bare.request);
    CHECK_FALSE(sent(bare).pauses.onPause);
}

TEST_CASE("results arrive as they were made, and graphs that are the same object stay so") {
    const remote::KnownGraphs known{smallGraph()};
    const aot::RetraceResult result = fullResult(known);
    const aot::RetraceResult read = sent(result, known);
    CHECK((aot::compiledFunctionToJson(read.function) == aot::compiledFunctionToJson(result.function)));
    CHECK(read.function.program == known.front());
    CHECK(read.nanoseconds == 123);
    CHECK(read.libTorch == result.libTorch);
    CHECK(read.notes == result.notes);
    REQUIRE(read.stages.size() == 3);
    CHECK(read.stages[0].graph == known.front());
    CHECK(read.stages[0].kind == aot::TraceStageKind::Program);
    CHECK(read.stages[1].graph == nullptr);
    CHECK(read.stages[1].note == "nothing to decompose");
    CHECK(read.stages[2].graph == read.function.graph);
    REQUIRE(read.numbers);
    CHECK(read.numbers->skipped == "no");
    CHECK(read.numbers->descriptors == result.numbers->descriptors);
    CHECK(read.numbers->spread == std::vector<double>{0.5});
    REQUIRE(read.numbers->traced.size() == 1);
    CHECK(sameData(read.numbers->traced[0], result.numbers->traced[0]));
    REQUIRE(read.numbers->eager.size() == 2);
    CHECK_FALSE(read.numbers->eager[0]);
    CHECK(sameData(*read.numbers->eager[1], *result.numbers->eager[1]));
    REQUIRE(read.function.guards.size() == 1);
    CHECK(read.function.guards[0].source == result.function.guards[0].source);
}

TEST_CASE("pauses and answers arrive as they were made") {
    const remote::KnownGraphs known{smallGraph()};
    const session::TracePause pause{9,
                                    "step",
                                    session::TracePhase::Backward,
                                    "0/0",
                                    nullptr,
                                    smallGraph("3"),
                                    "mm_1",
                                    "aten.mm(t)",
                                    "aten.mm.default",
                                    "linear",
                                    ir::SourceLocation{"m.py", 4, "forward", "x"},
                                    {{"s0", 8, "s1"}},
                                    {{ir::SymExpr("s0 < 10"), "add"}},
                                    "it does not hold"};
    const session::TracePause read = sent(pause, known);
    const auto& [number, reason, phase, name, partial, graph, node, call, target, programNode, source,
                 symbols, guards, refused] = read;
    CHECK(number == 9);
    CHECK(reason == "step");
    CHECK(phase == session::TracePhase::Backward);
    CHECK(name == "0/0");
    CHECK(partial == nullptr);
    CHECK(ir::equalGraphs(*graph, *pause.graph));
    CHECK(node == "mm_1");
    CHECK(call == "aten.mm(t)");
    CHECK(target == "aten.mm.default");
    CHECK(programNode == "linear");
    CHECK(source == pause.source);
    REQUIRE(symbols.size() == 1);
    CHECK(symbols[0].name == "s0");
    CHECK(symbols[0].hint == 8);
    CHECK(symbols[0].replacedBy == "s1");
    REQUIRE(guards.size() == 1);
    CHECK(guards[0].expression.text() == "s0 < 10");
    CHECK(refused == pause.refused);
    const session::PauseAnswer answer{session::PauseAnswer::Kind::AddFact, "Eq(s0, 8)",
                                      std::vector{*session::Breakpoint::parse("op:mm")}};
    const auto& [kind, fact, breakpoints] = sent(answer);
    CHECK(kind == answer.kind);
    CHECK(fact == answer.fact);
    CHECK(breakpoints == answer.breakpoints);
    CHECK_FALSE(sent(session::PauseAnswer()).breakpoints);
}

TEST_CASE("errors, progress, coverage and lists of texts arrive as they were made") {
    const base::Error error{"area.what", "message", {"file", 1, 2, "node"}, {"a", "b"}, "hint"};
    const auto& [code, message, place, notes, hint] = sent(remote::Failure{error}).error;
    CHECK(code == error.code);
    CHECK(message == error.message);
    CHECK(place.file == "file");
    CHECK(place.line == 1);
    CHECK(place.column == 2);
    CHECK(place.node == "node");
    CHECK(notes == error.notes);
    CHECK(hint == error.hint);
    const auto& [stage, done, total, detail, waits] = sent(base::ProgressState{"Tracing", 3, 7, "0/0", true});
    CHECK(stage == "Tracing");
    CHECK(done == 3);
    CHECK(total == 7);
    CHECK(detail == "0/0");
    CHECK(waits);
    const auto rows = sent(
        std::vector<session::CoverageRow>{{session::CoverageArea::Decompositions, "inductor",
                                           "aten::add.Tensor", session::CoverageState::Outside, "none"}});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].area == session::CoverageArea::Decompositions);
    CHECK(rows[0].group == "inductor");
    CHECK(rows[0].name == "aten::add.Tensor");
    CHECK(rows[0].state == session::CoverageState::Outside);
    CHECK(rows[0].note == "none");
    CHECK(sent(std::vector<std::string>{"a", "", allBytes()}) ==
          std::vector<std::string>{"a", "", allBytes()});
    CHECK(sent(std::string("LibTorch")) == "LibTorch");
    const session::DeviceList list{
        {{{session::DeviceChoice::Kind::Cuda, 3}, "a GPU", 1, 2, "9.0", 3, 4.5, 5.5}},
        "13.2",
        {{"cuBLAS", "libcublas.so.13", "pip install nvidia-cublas"}},
        "why"};
    const auto& [devices, driver, missing, noGpu] = sent(list);
    REQUIRE(devices.size() == 1);
    const auto& [choice, name, memory, cores, capability, l2, bandwidth, flops] = devices[0];
    CHECK(choice == list.devices[0].device);
    CHECK(name == "a GPU");
    CHECK(memory == 1);
    CHECK(cores == 2);
    CHECK(capability == "9.0");
    CHECK(l2 == 3);
    CHECK(bandwidth == 4.5);
    CHECK(flops == 5.5);
    CHECK(driver == "13.2");
    CHECK(missing == list.missing);
    CHECK(noGpu == "why");
    CHECK(sent(remote::Hello{5}).version == 5);
}

TEST_CASE("damaged bodies are refused, never more than that") {
    const remote::KnownGraphs known{smallGraph()};
    const auto goOn = [](session::TracePause) { return session::PauseAnswer(); };
    for (const session::TracePauses& pauses :
         {session::TracePauses{{}, true, {}}, session::TracePauses{{}, true, goOn}}) {
        hurt<session::RetraceCall>(encode(session::RetraceCall{fullRequest(), pauses}), {});
    }
    hurt<aot::RetraceResult>(encode(fullResult(known), known), known);
    hurt<session::RunSnapshot>(encode(fullRun(*known.front()), known), known);
    hurt<remote::Failure>(encode(remote::Failure{{"a", "b"}}), {});
}

TEST_CASE("golden compiles arrive as PyTorch recorded them" * test::needsCorpus()) {
    int compiles = 0;
    std::size_t nodes = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        INFO(golden.where);
        const aot::RetraceResult result{.function = golden.function};
        const aot::CompiledFunction read = sent(result).function;
        CHECK(ir::equalGraphs(*read.graph, *result.function.graph));
        CHECK(read.metadata.inputInfo == result.function.metadata.inputInfo);
        CHECK(read.metadata.outputInfo == result.function.metadata.outputInfo);
        REQUIRE((read.partition == nullptr) == (result.function.partition == nullptr));
        CHECK((aot::compiledFunctionToJson(read) == aot::compiledFunctionToJson(result.function)));
        ++compiles;
        nodes += result.function.graph->size();
    });
    std::cout << compiles << " golden compiles with " << nodes << " nodes sent and read\n";
    CHECK(compiles > 100);
}
