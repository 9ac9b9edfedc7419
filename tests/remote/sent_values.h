#pragma once

#include "remote/values.h"

#include "ir/text/parser.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>

/// Values with every member set, and what compares them when they have arrived.
namespace aotscope::test {

inline ir::GraphPtr smallGraph(const std::string& scale = "1") {
    auto graph = ir::parseGraphText(smallGraphText(scale));
    REQUIRE(graph.ok());
    return *graph;
}

template<typename T>
T sent(const T& value, const remote::KnownGraphs& known = {}) {
    const std::string body = remote::encode(value, known);
    auto read = remote::decode<T>(body, known);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK((remote::encode(*read, known) == body));
    return std::move(read).value();
}

/// Bytes that are no UTF-8.
inline std::string allBytes() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) {
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

inline aot::RetraceInput fullInput() {
    ir::TensorMeta base;
    base.dtype = ir::DType::BFloat16;
    base.shape = {8, ir::SymExpr("2*s0")};
    base.stride = ir::SymInts{ir::SymExpr("2*s0"), 1};
    base.storageOffset = 3;
    base.device = ir::Device{"cuda", 1};
    base.requiresGrad = true;
    return {true, false, true, 3, 16, 640, base, true, 2};
}

inline aot::GlobalState fullState() {
    aot::GlobalState state;
    state.defaultDtype = ir::DType::Float64;
    state.gradEnabled = false;
    state.inferenceMode = true;
    state.autocasts = {{"cuda", ir::DType::Float16}};
    state.autocastCache = false;
    state.deterministic = true;
    state.deterministicWarnOnly = true;
    state.fillUninitializedMemory = false;
    state.allowTf32 = true;
    state.fp16Sums = aot::ReducedSums::NotAllowed;
    state.bf16Sums = aot::ReducedSums::NeitherNorSplit;
    state.matmulPrecision = 2;
    state.threads = 3;
    state.torchFunction = false;
    state.torchFunctionAllDisabled = true;
    return state;
}

inline aot::RetraceRequest fullRequest() {
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
    request.state = fullState();
    request.keepInputMutations = false;
    request.tracingContext = false;
    request.lazyArithmetic = true;
    request.returnsTree = true;
    request.decompositions = aot::DecompositionTable::Inductor;
    request.decomposedOperators = {"aten.gelu"};
    request.functorch = aot::defaultConfig({2, 15});
    request.functorch->cse = false;
    request.functorch->activationMemoryBudget = 0.25;
    request.functorch->backwardPassAutocast = "off";
    request.functorch->unknown = {{"of_tomorrow", "True"}};
    request.functorch->chosen = {"cse"};
    request.export_ = aot::ExportOptions{true, true, 2, true};
    request.assignedAttributes = {{"L['self'].cache"}};
    request.stages = true;
    request.numbers = true;
    return request;
}

/// The bindings name every member, so that one that is added must be thought of here and in the fields.
inline void checkSame(const aot::RetraceInput& left, const aot::RetraceInput& right) {
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

inline void checkSame(const aot::RetraceRequest& left, const aot::RetraceRequest& right) {
    const auto& [torch, program, inputs, attributes, hints, guards, numbers, floats, unbacked, unbackedFloats,
                 checkpoints, state, keeps, context, lazy, tree, table, decomposed, config, exported,
                 assigned, stages, withNumbers] = left;
    const auto& [torch2, program2, inputs2, attributes2, hints2, guards2, numbers2, floats2, unbacked2,
                 unbackedFloats2, checkpoints2, state2, keeps2, context2, lazy2, tree2, table2, decomposed2,
                 config2, exported2, assigned2, stages2, withNumbers2] = right;
    CHECK(torch == torch2);
    CHECK(decomposed == decomposed2);
    CHECK((config == config2));
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
    CHECK(state == state2);
    CHECK(keeps == keeps2);
    CHECK(context == context2);
    CHECK(lazy == lazy2);
    CHECK(tree == tree2);
    CHECK(table == table2);
    CHECK(exported == exported2);
    CHECK(assigned == assigned2);
    CHECK(stages == stages2);
    CHECK(withNumbers == withNumbers2);
}

inline bool sameData(const aot::TensorData& left, const aot::TensorData& right) {
    const auto& [dtype, shape, bytes] = left;
    return dtype == right.dtype && shape == right.shape && bytes == right.bytes;
}

inline session::RunSnapshot fullRun(const ir::Graph& graph) {
    session::RunSnapshot run;
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.device = {session::DeviceChoice::Kind::Cuda, 1};
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
    run.profileTrace = "{\"traceEvents\": []}";
    return run;
}

} // namespace aotscope::test
