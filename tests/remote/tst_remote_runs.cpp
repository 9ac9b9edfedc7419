// Runs of graphs, sent to an engine and back.
#include "sent_values.h"

#include "ir/graph_builder.h"

#include <cmath>
#include <limits>

using namespace aotscope;
using remote::decode;
using remote::encode;
using test::allBytes;
using test::fullRun;
using test::sameData;
using test::sent;
using test::smallGraph;

TEST_CASE("options and inputs of a run arrive with every byte") {
    session::RunCall call{smallGraph(), {}};
    call.options = {17,          {session::DeviceChoice::Kind::Cuda, 2},
                    {{"s0", 3}}, {{"arg0_1", {"uint8", {16, 16}, allBytes()}}, {"\xFF\xFE", {}}},
                    true,        {"mul"},
                    true,        false,
                    true,        true,
                    5,           test::fullState()};
    const session::RunCall read = sent(call);
    const session::RunOptions& options = read.options;
    const auto& [seed, device, symbols, inputs] = static_cast<const session::RunInputs&>(options);
    CHECK(device == call.options.device);
    CHECK(ir::equalGraphs(*read.graph, *call.graph));
    CHECK(seed == 17);
    CHECK(symbols == call.options.symbols);
    REQUIRE(inputs.size() == 2);
    CHECK(sameData(inputs.at("arg0_1"), call.options.inputs.at("arg0_1")));
    CHECK(inputs.contains("\xFF\xFE"));
    CHECK(options.keepOutputs);
    CHECK(options.keepValues == std::vector<std::string>{"mul"});
    CHECK(options.onlyKeptValues);
    CHECK_FALSE(options.statistics);
    CHECK(options.fused);
    CHECK(options.profile);
    CHECK(options.roundingNoise == 5U);
    CHECK((options.state == call.options.state));
}

TEST_CASE("runs arrive as they were made, with the nodes of the graph that is here") {
    const ir::GraphPtr graph = smallGraph();
    const session::RunSnapshot run = fullRun(*graph);
    const session::RunSnapshot read = sent(run, {graph});
    const auto& [seed, symbols, error, nanoseconds, backend, notes] =
        static_cast<const session::RunFacts&>(read);
    static_assert(base::memberCount<session::RunSnapshot> == 10);
    const std::vector<aot::TensorData>& outputs = read.outputs;
    const std::vector<session::NodeValuePtr>& kept = read.values;
    const std::vector<session::StandInOperator>& standIns = read.standIns;
    const std::vector<session::NodeRun>& nodes = read.nodes;
    CHECK(read.graph == nullptr);
    CHECK(seed == run.seed);
    CHECK(read.device == run.device);
    CHECK(symbols == run.symbols);
    CHECK(nanoseconds == run.nanoseconds);
    CHECK(read.peakBytes == run.peakBytes);
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
    CHECK(read.profileTrace == run.profileTrace);
    // Made where the trace is received.
    CHECK(read.profile == nullptr);
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
    ir::GraphBuilder shorter(*graph);
    shorter.erase(shorter.order().back());
    CHECK_FALSE(decode<session::RunSnapshot>(body, {shorter.finish()}).ok());
}

TEST_CASE("hooks to measure and their errors arrive as they were made") {
    const ir::GraphPtr graph = smallGraph();
    const ir::GraphPtr hook = smallGraph("3");
    session::HookErrorsCall call{{graph, graph, 2, {{"mm", hook, graph}}, {}, false}};
    CHECK_FALSE(sent(call).onPart);
    call.onPart = [](const session::HookErrors&) {};
    call.request.options.seed = 9;
    const session::HookErrorsCall readCall = sent(call);
    const auto& [request, onPart] = readCall;
    const auto& [forward, backward, outputs, hooks, options, eachAlone] = request;
    CHECK(onPart);
    CHECK(forward == backward);
    CHECK(ir::equalGraphs(*forward, *graph));
    CHECK(outputs == 2);
    REQUIRE(hooks.size() == 1);
    CHECK(hooks[0].saved == "mm");
    CHECK(ir::equalGraphs(*hooks[0].pack, *hook));
    CHECK(hooks[0].unpack == forward);
    CHECK(options.seed == 9);
    CHECK_FALSE(eachAlone);

    session::HookErrors errors;
    errors.part = session::HookErrorsPart::Together;
    const double infinity = std::numeric_limits<double>::infinity();
    errors.hooks = {{"mm", {1, 2, infinity}, 40, {{"grad", {3, 4, 5}}}, "why"}};
    errors.together = {{"other", {6, 7, 8}}};
    errors.notes = {"note"};
    errors.nanoseconds = 11;
    const session::HookErrors read = sent(errors);
    const auto& [part, readHooks, together, notes, nanoseconds] = read;
    CHECK(part == session::HookErrorsPart::Together);
    REQUIRE(readHooks.size() == 1);
    const auto& [saved, value, storedBytes, gradients, failure] = readHooks[0];
    CHECK(saved == "mm");
    CHECK(value.max == 1);
    CHECK(value.mean == 2);
    CHECK(value.relative == infinity);
    CHECK(storedBytes == 40);
    REQUIRE(gradients.size() == 1);
    CHECK(gradients[0].gradient == "grad");
    CHECK(gradients[0].error.relative == 5);
    CHECK(failure == "why");
    REQUIRE(together.size() == 1);
    CHECK(together[0].error.max == 6);
    CHECK(notes == errors.notes);
    CHECK(nanoseconds == 11);
}

TEST_CASE("reruns to make and their results arrive as they were made") {
    const double infinity = std::numeric_limits<double>::infinity();
    session::RerunResult result;
    result.nodes = {"mm", "add"};
    result.samples = {3, 1, 2};
    result.overheadNanoseconds = 0.5;
    result.clock = session::RerunClock::CudaEvents;
    result.cost = session::RerunCost{10, 20, {"odd"}};
    result.build =
        session::RerunBuild{"g++", 0.25, {{kernels::CompileMessage::Severity::Warning, "k.cu", 3, 4, "odd"}}};
    result.limits = session::DeviceLimits{"device", 1e12, 2e12, "table"};
    session::RerunValue value{"add", 1, {"float32", {2}, {1}, 8, 0.5, 1, 2, 3, 4}, {}, {}};
    value.fromRun = session::ValueDifference{1, 2, 3, {1}, 4, 5, {}};
    value.fromBaseline = session::ValueDifference{infinity, 0, 0, {}, 0, 0, "why"};
    result.inputs = {{"x", 0, {}, {}, {}}};
    result.outputs = {value};
    result.outputData = {{"float32", {2}, allBytes().substr(0, 8)}};
    result.restored = {"x"};
    result.device = "cuda:1";
    result.backend = "backend";
    result.seed = 12;
    result.symbols = {{"s0", 4}};
    result.notes = {"note"};
    result.nanoseconds = 77;

    const ir::GraphPtr graph = smallGraph();
    session::RerunRequest call;
    call.graph = graph;
    call.nodes = {"mm"};
    call.run.seed = 9;
    call.settings = {50, 2, true, {}};
    call.settings.changes = {ir::DType::BFloat16, {{"s0", 8}}, {{"x", {2, 3}}}, "cuda", false};
    call.kernel = session::RerunKernel{"source"};
    call.keepOutputs = true;
    call.baseline = std::make_shared<const session::RerunResult>(result);
    const session::RerunRequest readCall = sent(call);
    const auto& [nodes, settings, kernel] = static_cast<const session::RerunChoice&>(readCall);
    CHECK(ir::equalGraphs(*readCall.graph, *graph));
    CHECK(nodes == call.nodes);
    CHECK(readCall.run.seed == 9);
    CHECK(settings == call.settings);
    CHECK(kernel == call.kernel);
    CHECK(readCall.keepOutputs);
    REQUIRE(readCall.baseline);
    CHECK(readCall.baseline->outputs[0].fromBaseline->max == infinity);

    const session::RerunResult read = sent(result);
    const auto& [readNodes, samples, overhead, clock, cost, limits, build, inputs, outputs, outputData,
                 restored, device, backend, seed, symbols, notes, nanoseconds] = read;
    CHECK(readNodes == result.nodes);
    CHECK(samples == result.samples);
    CHECK(overhead == 0.5);
    CHECK(clock == session::RerunClock::CudaEvents);
    REQUIRE(cost);
    CHECK(cost->bytes == 10);
    CHECK(cost->flops == 20);
    CHECK(cost->unknown == result.cost->unknown);
    REQUIRE(limits);
    CHECK(limits->device == "device");
    CHECK(limits->bytesPerSecond == 1e12);
    CHECK(limits->flopsPerSecond == 2e12);
    CHECK(limits->origin == "table");
    REQUIRE(build);
    CHECK(build->compiler == "g++");
    CHECK(build->seconds == 0.25);
    CHECK(build->messages == result.build->messages);
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].node == "x");
    CHECK_FALSE(inputs[0].fromRun);
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].output == 1);
    CHECK(outputs[0].summary.maximum == 2);
    CHECK(outputs[0].fromRun->mean == 2);
    CHECK(outputs[0].fromRun->relative == 3);
    CHECK(outputs[0].fromRun->worstIndex == std::vector<std::int64_t>{1});
    CHECK(outputs[0].fromRun->worstValue == 4);
    CHECK(outputs[0].fromRun->worstExpected == 5);
    CHECK(outputs[0].fromBaseline->incomparable == "why");
    REQUIRE(outputData.size() == 1);
    CHECK(outputData[0].bytes == allBytes().substr(0, 8));
    CHECK(restored == result.restored);
    CHECK(device == "cuda:1");
    CHECK(backend == "backend");
    CHECK(seed == 12);
    CHECK(symbols == result.symbols);
    CHECK(notes == result.notes);
    CHECK(nanoseconds == 77);
}

TEST_CASE("runs beside a reference arrive as they were made") {
    const ir::GraphPtr graph = smallGraph();
    const session::ReferenceCall call{graph, graph, {}};
    const session::ReferenceCall readCall = sent(call);
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
    const auto& [seed, symbols, error, nanoseconds, backend, notes] =
        static_cast<const session::RunFacts&>(read);
    const std::vector<session::NodeError>& nodes = read.nodes;
    CHECK(read.graph == nullptr);
    CHECK(read.against == nullptr);
    CHECK(seed == 3);
    CHECK(symbols == run.symbols);
    CHECK(read.firstWrong == 0U);
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
