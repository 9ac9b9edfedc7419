// Calls of compiled functions, sent to an engine and back.
#include "sent_values.h"

#include "aot/compiled_function_json.h"

#include <limits>

using namespace aotscope;
using test::allBytes;
using test::checkSame;
using test::fullInput;
using test::fullRequest;
using test::sameData;
using test::sent;
using test::smallGraph;

TEST_CASE("calls of functions, their records and their pauses arrive as they were made") {
    session::FunctionCall call;
    call.request.request = fullRequest();
    call.request.function.program = call.request.request.program;
    call.request.function.graph = smallGraph("2");
    call.request.function.constants = {{"_tensor_constant0", {"uint8", {256}, allBytes()}}};
    call.request.options = {5,           {session::DeviceChoice::Kind::Cuda, 1},
                            {{"s0", 2}}, {{"x", {"int8", {1}, "\x80"}}},
                            3,           true,
                            0.25,        "hook",
                            false};
    call.pauses = {{{steps::StepBreakpoint::Kind::Above, "", 1e4}},
                   true,
                   true,
                   77,
                   true,
                   true,
                   [](const steps::StepPause&) { return steps::StepAnswer(); }};
    const session::FunctionCall read = sent(call);
    const auto& [request, pauses] = read;
    const auto& [breakpoints, atStart, atEnd, limit, contents, byKernel, onPause] = pauses;
    checkSame(request.request, call.request.request);
    CHECK(request.function.program == request.request.program);
    CHECK((aot::compiledFunctionToJson(request.function) ==
           aot::compiledFunctionToJson(call.request.function)));
    REQUIRE(request.function.constants.size() == 1);
    CHECK(sameData(request.function.constants.begin()->second,
                   call.request.function.constants.begin()->second));
    const session::CallOptions& options = request.options;
    const auto& [seed, device, symbols, inputs] = static_cast<const session::RunInputs&>(options);
    CHECK(device == call.request.options.device);
    CHECK(seed == 5);
    CHECK(symbols == call.request.options.symbols);
    CHECK(sameData(inputs.at("x"), call.request.options.inputs.at("x")));
    CHECK(options.calls == 3);
    CHECK(options.backwardTwice);
    CHECK(options.learningRate == 0.25);
    CHECK(options.runTimeHooks == "hook");
    CHECK_FALSE(options.compareWithEager);
    CHECK(breakpoints == call.pauses.breakpoints);
    CHECK(byKernel);
    CHECK(atStart);
    CHECK(atEnd);
    CHECK(limit == 77);
    CHECK(contents);
    CHECK(onPause);
}

TEST_CASE("what happened in a call arrives as it was recorded") {
    steps::ValueState state{"arg 0", 1, 2,     64, fullInput().viewBase,        false, "AddBackward0",
                            3,       4, ~0ULL, "", steps::DataChange{2, 3, 0.5}};
    steps::CallRecord record;
    record.events = {
        {steps::EventKind::WrapperEntry, 1, 2, 0, true, "AOTDedupeWrapper", "", 9},
        {steps::EventKind::GradientAccumulation, 0, 0, std::nullopt, false, "x", "aten.add.Tensor", 1},
        {steps::EventKind::Unpacking, 0, 1, 0, true, "mm", "", 2}};
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
    record.departures = {{2, "RuntimeWrapper", "output 0", "made output 0 again", true}};
    record.eager = steps::EagerCallComparison{
        "",
        {{"output 0", "base", 0.5, 0.25, "4 roundings", "random", {"mm_1 (bf16)"}, 0.125, false}},
        {1, 2},
        {3},
        {"one thread"},
        true};
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
    facts.kernel = "fused_add_1";
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
    const auto& [events, wrappers, outputs, arguments, gradients, eager, departures, nanoseconds, recordNotes,
                 error] = *readRecord;
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
    REQUIRE(departures.size() == 1);
    const auto& [inWrapper, wrapperName, departed, how, fails] = departures[0];
    CHECK(inWrapper == 2);
    CHECK(wrapperName == "RuntimeWrapper");
    CHECK(departed == "output 0");
    CHECK(how == "made output 0 again");
    CHECK(fails);
    REQUIRE(eager);
    const auto& [skipped, compared, losses, eagerLosses, configuration, onlyCompiledFails] = *eager;
    CHECK(skipped.empty());
    REQUIRE(compared.size() == 1);
    CHECK(compared[0].name == "output 0");
    CHECK(compared[0].structure == "base");
    CHECK(compared[0].relativeError == 0.5);
    CHECK(compared[0].allowed == 0.25);
    CHECK(compared[0].limit == "4 roundings");
    CHECK(compared[0].notComparable == "random");
    CHECK(compared[0].causes == std::vector<std::string>{"mm_1 (bf16)"});
    CHECK(compared[0].hookLoss == 0.125);
    CHECK_FALSE(compared[0].agrees);
    CHECK(losses == std::vector<double>{1, 2});
    CHECK(eagerLosses == std::vector<double>{3});
    CHECK(onlyCompiledFails);
    CHECK(configuration == std::vector<std::string>{"one thread"});
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
    CHECK(readFacts->front().kernel == "fused_add_1");
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
        std::vector<steps::StepBreakpoint>{{steps::StepBreakpoint::Kind::Line, "m.py", 4}}, true};
    const auto& [kind, event, replaced, byFusedKernel] = sent(answer);
    CHECK(byFusedKernel == true);
    CHECK(kind == answer.kind);
    CHECK(event == 5);
    CHECK(replaced == answer.breakpoints);
    // A call that was never paused at all.
    CHECK((sent(record).wrappers.size() == 1));
}
