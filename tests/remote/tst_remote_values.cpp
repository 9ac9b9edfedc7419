// What is sent to an engine and back is the same value; whatever else arrives is an error.
#include "aot/golden_units.h"

#include "remote/values.h"

#include "aot/compiled_function_json.h"
#include "ir/text/parser.h"
#include "support/small_graphs.h"

#include <cmath>
#include <iostream>
#include <limits>
#include <random>

using namespace aotscope;
using remote::decode;
using remote::encode;

namespace {

ir::GraphPtr smallGraph(const std::string& scale = "1") {
    auto graph = ir::parseGraphText(test::smallGraphText(scale));
    REQUIRE(graph.ok());
    return *graph;
}

template<typename T>
T sent(const T& value, const remote::KnownGraphs& known = {}) {
    const std::string body = encode(value, known);
    auto read = decode<T>(body, known);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK((encode(*read, known) == body));
    return std::move(read).value();
}

/// Bytes that are no UTF-8.
std::string allBytes() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) {
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

aot::RetraceInput fullInput() {
    ir::TensorMeta base;
    base.dtype = ir::DType::BFloat16;
    base.shape = {8, ir::SymExpr("2*s0")};
    base.stride = ir::SymInts{ir::SymExpr("2*s0"), 1};
    base.storageOffset = 3;
    base.device = ir::Device{"cuda", 1};
    base.requiresGrad = true;
    return {true, false, true, 3, 16, 640, base, true, 2};
}

aot::RetraceRequest fullRequest() {
    aot::RetraceRequest request;
    request.torch = {2, 15};
    request.program = smallGraph();
    request.inputs = {fullInput(), {}};
    request.attributes = {{"weight", fullInput(), true}};
    request.symbolHints = {{"s0", 8}, {"s77", -1}};
    request.symbolGuards = {"s77 <= 25"};
    request.numberSymbols = {"s1", "s2"};
    request.floatHints = {{"zf0", 0.1}, {"zf1", -std::numeric_limits<double>::infinity()}};
    request.unbackedNumbers = 4;
    request.unbackedFloats = 5;
    request.earlierCheckpoints = 6;
    request.gradEnabled = false;
    request.autocasts = {{"cuda", ir::DType::Float16}};
    request.keepInputMutations = false;
    request.lazyArithmetic = true;
    request.decompositions = aot::DecompositionTable::Inductor;
    request.exported = aot::ExportOptions{true, true, 2, true};
    request.assignedAttributes = {{"L['self'].cache"}};
    request.stages = true;
    request.numbers = true;
    return request;
}

/// The bindings name every member, so that one that is added must be thought of here and in the fields.
void checkSame(const aot::RetraceInput& left, const aot::RetraceInput& right) {
    const auto& [grad, leaf, parameter, storage, offset, bytes, base, isStatic, duplicate] = left;
    const auto& [grad2, leaf2, parameter2, storage2, offset2, bytes2, base2, isStatic2, duplicate2] = right;
    CHECK(grad == grad2);
    CHECK(leaf == leaf2);
    CHECK(parameter == parameter2);
    CHECK(storage == storage2);
    CHECK(offset == offset2);
    CHECK(bytes == bytes2);
    CHECK(base == base2);
    CHECK(isStatic == isStatic2);
    CHECK(duplicate == duplicate2);
}

void checkSame(const aot::RetraceRequest& left, const aot::RetraceRequest& right) {
    const auto& [torch, program, inputs, attributes, hints, guards, numbers, floats, unbacked, unbackedFloats,
                 checkpoints, grad, autocasts, keeps, lazy, table, exported, assigned, stages, withNumbers] =
        left;
    const auto& [torch2, program2, inputs2, attributes2, hints2, guards2, numbers2, floats2, unbacked2,
                 unbackedFloats2, checkpoints2, grad2, autocasts2, keeps2, lazy2, table2, exported2,
                 assigned2, stages2, withNumbers2] = right;
    CHECK(torch == torch2);
    CHECK(ir::equalGraphs(*program, *program2));
    REQUIRE(inputs.size() == inputs2.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        checkSame(inputs[i], inputs2[i]);
    }
    REQUIRE(attributes.size() == attributes2.size());
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        CHECK(attributes[i].name == attributes2[i].name);
        checkSame(attributes[i].input, attributes2[i].input);
        CHECK(attributes[i].isBuffer == attributes2[i].isBuffer);
    }
    CHECK(hints == hints2);
    CHECK(guards == guards2);
    CHECK(numbers == numbers2);
    CHECK(floats == floats2);
    CHECK(unbacked == unbacked2);
    CHECK(unbackedFloats == unbackedFloats2);
    CHECK(checkpoints == checkpoints2);
    CHECK(grad == grad2);
    CHECK(autocasts == autocasts2);
    CHECK(keeps == keeps2);
    CHECK(lazy == lazy2);
    CHECK(table == table2);
    CHECK(exported == exported2);
    CHECK(assigned == assigned2);
    CHECK(stages == stages2);
    CHECK(withNumbers == withNumbers2);
}

bool sameData(const aot::TensorData& left, const aot::TensorData& right) {
    const auto& [dtype, shape, bytes] = left;
    return dtype == right.dtype && shape == right.shape && bytes == right.bytes;
}

session::RunSnapshot fullRun(const ir::Graph& graph) {
    session::RunSnapshot run;
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.symbols = {{"s0", 4}};
    for (const ir::NodeId id : graph.order()) {
        session::NodeRun node;
        node.node = id;
        node.nanoseconds = 12;
        node.outputs = {{"float32",
                         {8, 4},
                         {4, 1},
                         128,
                         -0.0,
                         std::nullopt,
                         1e300,
                         1,
                         2,
                         3,
                         4,
                         session::Histogram{-1.5, 2.5, {7, 0, 9}}}};
        node.scalar = "3.5";
        node.mismatch = "it has another shape";
        node.note = "made up";
        node.origin = session::RunOrigin::FollowsFromStandIn;
        node.aliveBytes = 1 << 20;
        node.scratchBytes = 77;
        run.nodes.push_back(std::move(node));
    }
    run.nanoseconds = 99;
    run.peakBytes = 1 << 21;
    run.outputs = {{"uint8", {256}, allBytes()}, {}};
    run.values = {std::make_shared<const session::NodeValue>(
        session::NodeValue{graph.order().front(),
                           {{run.outputs.front(), run.nodes.front().outputs.front()}},
                           session::RunOrigin::StandIn})};
    run.error = base::Error{"run.failed", "A node failed.", {"a.py", 3, 4, "add"}, {"note"}, "hint"};
    run.backend = "LibTorch";
    run.notes = {"cuda became cpu"};
    run.standIns = {{"corpus.scaled_add", 2}};
    return run;
}

aot::RetraceResult fullResult(const remote::KnownGraphs& known) {
    aot::RetraceResult result;
    result.path = aot::TracePath::Autograd;
    result.reason = "an input requires grad";
    result.program = known.front();
    result.graph = smallGraph("2");
    result.guards = {{"Eq(s77, 5)", "add", ir::SourceLocation{"m.py", 4, "forward", "x + y"}, true}};
    result.nanoseconds = 123;
    result.libTorch = aot::TorchVersion{2, 15};
    result.stages = {{aot::TraceStageKind::Program, result.program, ""},
                     {aot::TraceStageKind::Decomposed, nullptr, "nothing to decompose"},
                     {aot::TraceStageKind::Joint, result.graph, ""}};
    aot::EagerNumbers numbers;
    numbers.skipped = "no";
    numbers.descriptors = {{ir::AOTOutput(ir::PlainAOTOutput{1})},
                           {ir::AOTInput(ir::PlainAOTInput{2})},
                           {ir::NoneDescriptor{}},
                           {{}, true}};
    numbers.traced = {{"float32", {1}, "\x01\x02\xFF\xFE"}};
    numbers.eager = {std::nullopt, aot::TensorData{"bool", {}, "\x01"}};
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
    const remote::RetraceCall call{fullRequest(),
                                   {{session::Breakpoint::Kind::Line, "model.py", 41},
                                    {session::Breakpoint::Kind::Stage, "joint trace"}},
                                   true,
                                   true};
    const auto& [request, breakpoints, atStart, pauses] = sent(call);
    checkSame(request, call.request);
    CHECK(breakpoints == call.breakpoints);
    CHECK(atStart);
    CHECK(pauses);
    // What is not set stays so.
    remote::RetraceCall bare;
    bare.request.program = smallGraph();
    checkSame(sent(bare).request, bare.request);
}

TEST_CASE("options and inputs of a run arrive with every byte") {
    remote::RunCall call{smallGraph(), {}};
    call.options = {17,   {{"s0", 3}}, {{"arg0_1", {"uint8", {16, 16}, allBytes()}}, {"\xFF\xFE", {}}},
                    true, {"mul"},     true,
                    false};
    const remote::RunCall read = sent(call);
    const auto& [seed, symbols, inputs, keepOutputs, keepValues, onlyKeptValues, statistics] = read.options;
    CHECK(ir::equalGraphs(*read.graph, *call.graph));
    CHECK(seed == 17);
    CHECK(symbols == call.options.symbols);
    REQUIRE(inputs.size() == 2);
    CHECK(sameData(inputs.at("arg0_1"), call.options.inputs.at("arg0_1")));
    CHECK(inputs.contains("\xFF\xFE"));
    CHECK(keepOutputs);
    CHECK(keepValues == std::vector<std::string>{"mul"});
    CHECK(onlyKeptValues);
    CHECK_FALSE(statistics);
}

TEST_CASE("runs arrive as they were made, with the nodes of the graph that is here") {
    const ir::GraphPtr graph = smallGraph();
    const session::RunSnapshot run = fullRun(*graph);
    const session::RunSnapshot read = sent(run, {graph});
    const auto& [snapshot, seed, symbols, nodes, nanoseconds, peak, outputs, kept, error, backend, notes,
                 standIns] = read;
    CHECK(snapshot == nullptr);
    CHECK(seed == run.seed);
    CHECK(symbols == run.symbols);
    CHECK(nanoseconds == run.nanoseconds);
    CHECK(peak == run.peakBytes);
    REQUIRE(outputs.size() == 2);
    CHECK(sameData(outputs[0], run.outputs[0]));
    REQUIRE(kept.size() == 1);
    CHECK(kept[0]->node == run.values[0]->node);
    REQUIRE(kept[0]->tensors.size() == 1);
    CHECK(sameData(kept[0]->tensors[0].data, run.values[0]->tensors[0].data));
    CHECK(kept[0]->tensors[0].summary.nanCount == 1);
    CHECK(kept[0]->origin == session::RunOrigin::StandIn);
    REQUIRE(error);
    CHECK(error->text() == run.error->text());
    CHECK(error->code == run.error->code);
    CHECK(backend == run.backend);
    CHECK(notes == run.notes);
    REQUIRE(standIns.size() == 1);
    CHECK(standIns[0].target == "corpus.scaled_add");
    CHECK(standIns[0].nodes == 2);
    REQUIRE(nodes.size() == run.nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto& [node, time, values, scalar, mismatch, note, origin, alive, scratch] = nodes[i];
        CHECK(node == run.nodes[i].node);
        CHECK(time == 12);
        REQUIRE(values.size() == 1);
        const auto& [dtype, shape, stride, bytes, minimum, mean, maximum, nans, infinities, zeros, subnormals,
                     histogram] = values[0];
        CHECK(dtype == "float32");
        CHECK(shape == std::vector<std::int64_t>{8, 4});
        CHECK(stride == std::vector<std::int64_t>{4, 1});
        CHECK(bytes == 128);
        REQUIRE(minimum);
        CHECK(std::signbit(*minimum));
        CHECK_FALSE(mean);
        CHECK(maximum == 1e300);
        CHECK(nans == 1);
        CHECK(infinities == 2);
        CHECK(zeros == 3);
        CHECK(subnormals == 4);
        REQUIRE(histogram);
        CHECK(histogram->from == -1.5);
        CHECK(histogram->to == 2.5);
        CHECK(histogram->counts == std::vector<std::uint64_t>{7, 0, 9});
        CHECK(scalar == "3.5");
        CHECK(mismatch == run.nodes[i].mismatch);
        CHECK(note == "made up");
        CHECK(origin == session::RunOrigin::FollowsFromStandIn);
        CHECK(alive == run.nodes[i].aliveBytes);
        CHECK(scratch == 77);
    }
}

TEST_CASE("a run of another graph's nodes is refused") {
    const ir::GraphPtr graph = smallGraph();
    const std::string body = encode(fullRun(*graph), {graph});
    const auto none = decode<session::RunSnapshot>(body);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().message.find("node") != std::string::npos);
    ir::Graph shorter = graph->clone();
    shorter.erase(shorter.order().back());
    CHECK_FALSE(decode<session::RunSnapshot>(body, {ir::Graph::freeze(std::move(shorter))}).ok());
}

TEST_CASE("results arrive as they were made, and graphs that are the same object stay so") {
    const remote::KnownGraphs known{smallGraph()};
    const aot::RetraceResult result = fullResult(known);
    const aot::RetraceResult read = sent(result, known);
    CHECK((aot::compiledFunctionToJson(read) == aot::compiledFunctionToJson(result)));
    CHECK(read.program == known.front());
    CHECK(read.nanoseconds == 123);
    CHECK(read.libTorch == result.libTorch);
    CHECK(read.notes == result.notes);
    REQUIRE(read.stages.size() == 3);
    CHECK(read.stages[0].graph == known.front());
    CHECK(read.stages[0].kind == aot::TraceStageKind::Program);
    CHECK(read.stages[1].graph == nullptr);
    CHECK(read.stages[1].note == "nothing to decompose");
    CHECK(read.stages[2].graph == read.graph);
    REQUIRE(read.numbers);
    CHECK(read.numbers->skipped == "no");
    CHECK(read.numbers->descriptors == result.numbers->descriptors);
    REQUIRE(read.numbers->traced.size() == 1);
    CHECK(sameData(read.numbers->traced[0], result.numbers->traced[0]));
    REQUIRE(read.numbers->eager.size() == 2);
    CHECK_FALSE(read.numbers->eager[0]);
    CHECK(sameData(*read.numbers->eager[1], *result.numbers->eager[1]));
    REQUIRE(read.guards.size() == 1);
    CHECK(read.guards[0].source == result.guards[0].source);
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
                                    {{"s0 < 10", "add"}},
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
    CHECK(guards[0].expression == "s0 < 10");
    CHECK(refused == pause.refused);
    const session::PauseAnswer answer{session::PauseAnswer::Kind::AddFact, "Eq(s0, 8)",
                                      std::vector{*session::Breakpoint::parse("op:mm")}};
    const auto& [kind, fact, breakpoints] = sent(answer);
    CHECK(kind == answer.kind);
    CHECK(fact == answer.fact);
    CHECK(breakpoints == answer.breakpoints);
    CHECK_FALSE(sent(session::PauseAnswer()).breakpoints);
}

TEST_CASE("runs beside a reference arrive as they were made") {
    const ir::GraphPtr graph = smallGraph();
    const remote::ReferenceCall call{graph, graph, {}};
    const remote::ReferenceCall readCall = sent(call);
    CHECK(readCall.graph == readCall.against);
    CHECK(ir::equalGraphs(*readCall.graph, *graph));
    session::ReferenceSnapshot run;
    run.seed = 3;
    run.symbols = {{"s0", 4}};
    run.nodes = {{graph->order()[1],
                  1,
                  "bfloat16",
                  {1, 2, 3},
                  {4, 5, 6},
                  {7, 8, 9},
                  0.5,
                  session::NodeVerdict::NotChecked,
                  "why",
                  {0, 3},
                  1.5,
                  2.5}};
    run.firstWrong = 0;
    run.error = base::Error{"a", "b"};
    run.nanoseconds = 7;
    run.backend = "LibTorch";
    run.notes = {"note"};
    const session::ReferenceSnapshot read = sent(run, {graph});
    const auto& [described, against, seed, symbols, nodes, firstWrong, error, nanoseconds, backend, notes] =
        read;
    CHECK(described == nullptr);
    CHECK(against == nullptr);
    CHECK(seed == 3);
    CHECK(symbols == run.symbols);
    CHECK(firstWrong == 0U);
    REQUIRE(error);
    CHECK(error->code == "a");
    CHECK(nanoseconds == 7);
    CHECK(backend == "LibTorch");
    CHECK(notes == run.notes);
    REQUIRE(nodes.size() == 1);
    const auto& [node, output, dtype, total, own, inherited, allowed, verdict, reason, index, value,
                 expected] = nodes[0];
    CHECK(node == graph->order()[1]);
    CHECK(output == 1);
    CHECK(dtype == "bfloat16");
    CHECK(total.absolute == 1);
    CHECK(total.relative == 2);
    CHECK(total.ulps == 3);
    CHECK(own.absolute == 4);
    CHECK(inherited.ulps == 9);
    CHECK(allowed == 0.5);
    CHECK(verdict == session::NodeVerdict::NotChecked);
    CHECK(reason == "why");
    CHECK(index == std::vector<std::int64_t>{0, 3});
    CHECK(value == 1.5);
    CHECK(expected == 2.5);
}

TEST_CASE("calls of functions, their records and their pauses arrive as they were made") {
    remote::FunctionCall call;
    call.request.request = fullRequest();
    call.request.function.program = call.request.request.program;
    call.request.function.graph = smallGraph("2");
    call.request.function.constants = {{"_tensor_constant0", {"uint8", {256}, allBytes()}}};
    call.request.options = {5, {{"s0", 2}}, {{"x", {"int8", {1}, "\x80"}}}, 3, 0.25, false};
    call.breakpoints = {{steps::StepBreakpoint::Kind::Above, "", 1e4}};
    call.pausesAtStart = true;
    call.pausesAtEnd = true;
    call.checkpointLimit = 77;
    call.contents = true;
    call.pauses = true;
    const remote::FunctionCall read = sent(call);
    const auto& [request, breakpoints, atStart, atEnd, limit, contents, pauses] = read;
    checkSame(request.request, call.request.request);
    CHECK(request.function.program == request.request.program);
    CHECK((aot::compiledFunctionToJson(request.function) ==
           aot::compiledFunctionToJson(call.request.function)));
    REQUIRE(request.function.constants.size() == 1);
    CHECK(sameData(request.function.constants.begin()->second,
                   call.request.function.constants.begin()->second));
    const auto& [seed, symbols, inputs, calls, rate, compares] = request.options;
    CHECK(seed == 5);
    CHECK(symbols == call.request.options.symbols);
    CHECK(sameData(inputs.at("x"), call.request.options.inputs.at("x")));
    CHECK(calls == 3);
    CHECK(rate == 0.25);
    CHECK_FALSE(compares);
    CHECK(breakpoints == call.breakpoints);
    CHECK(atStart);
    CHECK(atEnd);
    CHECK(limit == 77);
    CHECK(contents);
    CHECK(pauses);
}

TEST_CASE("what happened in a call arrives as it was recorded") {
    steps::ValueState state{"arg 0", 1, 2, 64, fullInput().viewBase, false, "AddBackward0", 3, 4, ~0ULL, ""};
    steps::CallRecord record;
    record.events = {
        {steps::EventKind::WrapperEntry, 1, 2, 0, true, "AOTDedupeWrapper", "", 9},
        {steps::EventKind::GradientAccumulation, 0, 0, std::nullopt, false, "x", "aten.add.Tensor", 1}};
    steps::WrapperCall wrapper;
    wrapper.step = 4;
    wrapper.name = "RuntimeWrapper";
    wrapper.call = 1;
    wrapper.backward = true;
    wrapper.entry = 2;
    wrapper.exit = 3;
    wrapper.arguments = {state};
    wrapper.passedOn = {state, {}};
    wrapper.received = {{}};
    wrapper.results = {state};
    wrapper.argumentsAfterCall = {state};
    wrapper.ownNanoseconds = 5;
    wrapper.actions = {"copied"};
    record.wrappers = {wrapper};
    record.outputs = {state};
    record.arguments = {state, state};
    record.gradients = {state};
    record.eager = steps::EagerCallComparison{"", {{"output 0", "base", 0.5, false}}, {1, 2}, {3}};
    record.nanoseconds = 8;
    record.notes = {"note"};
    record.error = base::Error{"call.failed", "It failed."};
    steps::StepPause pause;
    pause.number = 7;
    pause.reason = "step";
    pause.record = std::make_shared<const steps::CallRecord>(record);
    steps::EventFacts facts;
    facts.origin = std::make_shared<const ir::NodeOrigin>(ir::NodeOrigin{
        ir::SourceLocation{"m.py", 4, "forward", "x"}, true, "PREFER_RECOMPUTE", 3, "{}", "other"});
    facts.nanCount = 1;
    facts.infCount = 2;
    facts.largest = std::numeric_limits<double>::infinity();
    facts.shapeChanged = true;
    facts.mutated = {"arg 2"};
    facts.aliveBytes = 4;
    pause.facts = std::make_shared<const std::vector<steps::EventFacts>>(std::vector{facts, {}});
    pause.next = 1;
    pause.values = {{state, 0.1, 0.2, 0.3, 1, 2, {3, 4}}};
    pause.generator = 11;
    pause.checkpoints = {0, 5};
    pause.checkpointBytes = 12;
    pause.checkpointLimit = 13;
    pause.refused = "no";
    pause.notes = {"note"};
    const steps::StepPause read = sent(pause);
    const auto& [number, reason, readRecord, readFacts, next, values, generator, checkpoints, bytes, limit,
                 refused, notes] = read;
    CHECK(number == 7);
    CHECK(reason == "step");
    REQUIRE(readRecord);
    const auto& [events, wrappers, outputs, arguments, gradients, eager, nanoseconds, recordNotes, error] =
        *readRecord;
    CHECK((events == record.events));
    REQUIRE(wrappers.size() == 1);
    const auto& [step, name, index, backward, entry, exit, given, passedOn, received, results, after, own,
                 actions] = wrappers[0];
    CHECK(step == 4);
    CHECK(name == "RuntimeWrapper");
    CHECK(index == 1);
    CHECK(backward);
    CHECK(entry == 2);
    CHECK(exit == 3U);
    CHECK((given == wrapper.arguments));
    CHECK((passedOn == wrapper.passedOn));
    CHECK((received == wrapper.received));
    CHECK((results == wrapper.results));
    CHECK((after == wrapper.argumentsAfterCall));
    CHECK(own == 5);
    CHECK(actions == wrapper.actions);
    CHECK((outputs == record.outputs));
    CHECK((arguments == record.arguments));
    CHECK((gradients == record.gradients));
    REQUIRE(eager);
    const auto& [skipped, compared, losses, eagerLosses] = *eager;
    CHECK(skipped.empty());
    REQUIRE(compared.size() == 1);
    CHECK(compared[0].name == "output 0");
    CHECK(compared[0].structure == "base");
    CHECK(compared[0].relativeError == 0.5);
    CHECK_FALSE(compared[0].agrees);
    CHECK(losses == std::vector<double>{1, 2});
    CHECK(eagerLosses == std::vector<double>{3});
    CHECK(nanoseconds == 8);
    CHECK(recordNotes == record.notes);
    REQUIRE(error);
    CHECK(error->code == "call.failed");
    REQUIRE(readFacts);
    REQUIRE(readFacts->size() == 2);
    CHECK(*readFacts->front().origin == *facts.origin);
    CHECK(readFacts->front().nanCount == 1);
    CHECK(readFacts->front().largest == facts.largest);
    CHECK(readFacts->front().mutated == facts.mutated);
    CHECK((readFacts->back() == steps::EventFacts()));
    CHECK(next == 1);
    CHECK((values == pause.values));
    CHECK(generator == 11);
    CHECK(checkpoints == pause.checkpoints);
    CHECK(bytes == 12);
    CHECK(limit == 13);
    CHECK(refused == "no");
    CHECK(notes == pause.notes);
    const steps::StepAnswer answer{
        steps::StepAnswer::Kind::RunTo, 5,
        std::vector<steps::StepBreakpoint>{{steps::StepBreakpoint::Kind::Line, "m.py", 4}}};
    const auto& [kind, event, replaced] = sent(answer);
    CHECK(kind == answer.kind);
    CHECK(event == 5);
    CHECK(replaced == answer.breakpoints);
    // A call that was never paused at all.
    CHECK((sent(record).wrappers.size() == 1));
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
    CHECK(sent(remote::Hello{5}).version == 5);
}

TEST_CASE("damaged bodies are refused, never more than that") {
    const remote::KnownGraphs known{smallGraph()};
    hurt<remote::RetraceCall>(encode(remote::RetraceCall{fullRequest(), {}, true, true}), {});
    hurt<aot::RetraceResult>(encode(fullResult(known), known), known);
    hurt<session::RunSnapshot>(encode(fullRun(*known.front()), known), known);
    hurt<remote::Failure>(encode(remote::Failure{{"a", "b"}}), {});
}

TEST_CASE("golden compiles arrive as PyTorch recorded them" * test::needsCorpus()) {
    int compiles = 0;
    std::size_t nodes = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        INFO(golden.where);
        aot::RetraceResult result;
        static_cast<aot::CompiledFunction&>(result) = golden.function;
        const aot::RetraceResult read = sent(result);
        CHECK(ir::equalGraphs(*read.graph, *result.graph));
        CHECK(read.metadata.inputInfo == result.metadata.inputInfo);
        CHECK(read.metadata.outputInfo == result.metadata.outputInfo);
        REQUIRE((read.partition == nullptr) == (result.partition == nullptr));
        CHECK((aot::compiledFunctionToJson(read) == aot::compiledFunctionToJson(result)));
        ++compiles;
        nodes += result.graph->size();
    });
    std::cout << compiles << " golden compiles with " << nodes << " nodes sent and read\n";
    CHECK(compiles > 100);
}
