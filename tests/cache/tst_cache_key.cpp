// What a key tells apart, and what it does not.
#include "cache/small_compiles.h"

#include "aot/compiled_function_json.h"
#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"

#include <functional>
#include <limits>
#include <set>

using namespace aotscope;
using test::requestOf;
using test::smallEnvironment;
using test::symbolicText;

namespace {

std::string digestOf(const aot::RetraceRequest& request,
                     const cache::CompileEnvironment& environment = smallEnvironment()) {
    return cache::keyOf(request, environment).digest;
}

/// The component in which a changed request differs from the unchanged one; several are joined.
std::string
changedComponent(const std::function<void(aot::RetraceRequest&, cache::CompileEnvironment&)>& change) {
    aot::RetraceRequest request = requestOf(symbolicText(), {{"s77", 8}});
    cache::CompileEnvironment environment = smallEnvironment();
    const cache::CacheKey before = cache::keyOf(request, environment);
    change(request, environment);
    const cache::CacheKey after = cache::keyOf(request, environment);
    CHECK(before.digest != after.digest);
    std::string names;
    for (std::size_t i = 0; i < before.components.size(); ++i) {
        if (before.components[i].text != after.components[i].text) {
            names += (names.empty() ? "" : " ") + before.components[i].name;
        }
    }
    return names;
}

} // namespace

TEST_CASE("the same request has the same key, whatever the values of its symbols") {
    const std::string key = digestOf(requestOf(symbolicText(), {{"s77", 8}}));
    CHECK(key.size() == 32);
    CHECK(key == digestOf(requestOf(symbolicText(), {{"s77", 8}})));
    CHECK(key == digestOf(requestOf(symbolicText(), {{"s77", 64}})));
    aot::RetraceRequest hinted = requestOf(symbolicText(), {{"s77", 8}});
    ir::GraphBuilder graph(*hinted.program);
    graph.editSymbolHints()["s77"] = 31;
    hinted.program = graph.finish();
    CHECK(key == digestOf(hinted));
}

TEST_CASE("a program read again has the same key") {
    aot::RetraceRequest request = requestOf(symbolicText());
    const std::string key = digestOf(request);
    request.program = *ir::graphFromJson(ir::graphToJson(*request.program));
    CHECK(digestOf(request) == key);
}

TEST_CASE("whatever decides the result is in the key, under its name") {
    using Request = aot::RetraceRequest;
    using Environment = cache::CompileEnvironment;
    CHECK(changedComponent([](Request& request, Environment&) {
              request.program = test::parsed(symbolicText("s27"));
          }) == "program");
    CHECK(changedComponent([](Request& request, Environment&) { request.inputs[1].requiresGrad = true; }) ==
          "inputs");
    CHECK(changedComponent([](Request& request, Environment&) { request.inputs[1].storageBytes = 64; }) ==
          "inputs");
    CHECK(changedComponent([](Request& request, Environment&) {
              request.inputs[1].viewBase.emplace().shape = {8};
          }) == "inputs");
    CHECK(changedComponent([](Request& request, Environment&) { request.symbolGuards = {"s77 <= 25"}; }) ==
          "symbol_guards");
    CHECK(changedComponent([](Request& request, Environment&) {
              request.floatHints = {{"zf0", 0.5}};
          }) == "float_hints");
    CHECK(changedComponent([](Request& request, Environment&) { request.state.gradEnabled = false; }) ==
          "state");
    CHECK(changedComponent([](Request& request, Environment&) { request.state.autocasts = {{"cpu"}}; }) ==
          "state");
    CHECK(changedComponent([](Request& request, Environment&) { request.keepInputMutations = false; }) ==
          "keep_input_mutations");
    CHECK(changedComponent([](Request& request, Environment&) { request.tracingContext = false; }) ==
          "tracing_context");
    CHECK(changedComponent([](Request& request, Environment&) { request.lazyArithmetic = true; }) ==
          "lazy_arithmetic");
    CHECK(changedComponent([](Request& request, Environment&) { request.returnsTree = true; }) ==
          "returns_tree");
    CHECK(changedComponent([](Request& request, Environment&) {
              request.decompositions = aot::DecompositionTable::Core;
          }) == "decompositions");
    // Another release also has other defaults of options.
    CHECK(changedComponent([](Request& request, Environment&) {
              request.torch = {2, 15};
          }) == "torch functorch");
    CHECK(changedComponent([](Request&, Environment& environment) {
              environment.partition = passes::PartitionOptions{};
          }) == "partition");
    CHECK(changedComponent([](Request&, Environment& environment) {
              const ir::GraphPtr hook = test::parsed(test::smallGraphText());
              environment.hooks = {{hook, hook}};
          }) == "hooks");
    CHECK(changedComponent([](Request&, Environment& environment) {
              environment.libTorch = "LibTorch 2.11.0 (CPU)";
          }) == "libtorch");
    CHECK(changedComponent([](Request&, Environment& environment) { environment.engine = "4567"; }) ==
          "engine");
    CHECK(changedComponent([](Request& request, Environment&) {
              std::string text = symbolicText();
              text.replace(text.find("]cpu"), 4, "]cuda:0");
              request.program = test::parsed(text);
          }) == "program");
}

TEST_CASE("options of a partition make different keys") {
    std::set<std::string> keys;
    const auto add = [&](const std::function<void(passes::PartitionOptions&)>& change) {
        cache::CompileEnvironment environment = smallEnvironment();
        change(environment.partition.emplace());
        CHECK(keys.insert(cache::keyOfPartition(test::resultOf().function, environment).digest).second);
    };
    add([](auto&) {});
    add([](auto& options) { options.partitioner = passes::Partitioner::Default; });
    add([](auto& options) { options.memoryBudget = 0.5; });
    add([](auto& options) { options.solver = passes::BudgetSolver::Greedy; });
    add([](auto& options) { options.bans.reductions = false; });
    add([](auto& options) { options.choices = {{"relu", passes::Forced::Save}}; });
    add([](auto& options) { options.choices = {{"relu", passes::Forced::Recompute}}; });
    add([](auto& options) { options.staticInputs = {0}; });
    add([](auto& options) { options.rules.keepsMutatedBuffersApart = true; });
    add([](auto& options) { options.runtimes = {{"relu", 1}}; });
    add([](auto& options) { options.runtimes = {{"relu", 2}}; });
}

namespace {

/// A compile with something in each of its parts.
aot::CompiledFunction fullCompile() {
    aot::CompiledFunction traced = test::resultOf("1", {"s77 <= 25"}).function;
    traced.constants["constant"] = {"int64", {1}, std::string(8, '\1')};
    aot::RuntimeWrapper runtime;
    runtime.outputs.resize(1);
    traced.wrappers = {{runtime, true, "around every call"}};
    ir::TensorMeta tangent;
    tangent.dtype = ir::DType::Float32;
    tangent.shape = {8, ir::SymExpr("2*s77")};
    tangent.requiresGrad = true;
    ir::TensorMeta inner;
    inner.shape = {4};
    tangent.subclass =
        std::make_shared<const ir::SubclassMeta>(ir::SubclassMeta{"TwoTensor", {{"a", inner}}});
    ir::ViewAndMutationMeta& metadata = traced.metadata;
    metadata.tracedTangents = {tangent};
    metadata.tracedTangentsDescs = {ir::TangentAOTInput{ir::AOTOutput(ir::PlainAOTOutput{0})}};
    metadata.subclassTangentMeta.emplace(1).front().layout.emplace().memoryFormat = "contiguous_format";
    metadata.tangentSourceStackTraces = {
        {ir::SourceLocation{"model.py", 12, "forward", "x.relu()"}, std::nullopt}};
    metadata.actInputPaths = {{{2, {"inner"}}}};
    metadata.otherFields = {{"input_info[0].new_flag", "True"}};
    metadata.unreadFields = {"is_train"};
    return traced;
}

std::string partitionKey(const aot::CompiledFunction& traced) {
    cache::CompileEnvironment environment = smallEnvironment();
    environment.partition.emplace();
    return cache::keyOfPartition(traced, environment).digest;
}

} // namespace

TEST_CASE("whatever the entry of a partition holds makes another key") {
    std::set<std::string> keys;
    const auto add = [&](const std::function<void(aot::CompiledFunction&)>& change) {
        aot::CompiledFunction traced = fullCompile();
        change(traced);
        CHECK(keys.insert(partitionKey(traced)).second);
    };
    add([](auto&) {});
    add([](auto& traced) { traced.joint = true; });
    add([](auto& traced) { traced.path = aot::TracePath::Autograd; });
    add([](auto& traced) { traced.metadata.gradEnabledMutation = false; });
    add([](auto& traced) { traced.metadata.inputInfo.front().isLeaf = true; });
    add([](auto& traced) { traced.metadata.inputInfo.front().mutationIsShallowCopyData = true; });
    add([](auto& traced) { traced.metadata.outputInfo.front().views = "a graph"; });
    add([](auto& traced) { traced.metadata.tracedTangents.front().subclass = nullptr; });
    add([](auto& traced) {
        traced.metadata.subclassTangentMeta->front().layout->memoryFormat = "channels_last";
    });
    add([](auto& traced) { traced.guards.front().expression = ir::SymExpr("s77 <= 26"); });
    add([](auto& traced) { traced.guards.front().source->line = 13; });
    add([](auto& traced) { traced.wrappers.front().reason = "another reason"; });
    const auto addWrapper = [&](const std::function<void(aot::RuntimeWrapper&)>& change) {
        add([&](auto& traced) { change(std::get<aot::RuntimeWrapper>(traced.wrappers.front().wrapper)); });
    };
    addWrapper([](auto& wrapper) { wrapper.gradEnabledMutation = false; });
    addWrapper([](auto& wrapper) { wrapper.incrementVersion = {0}; });
    addWrapper([](auto& wrapper) { wrapper.outputs.front().requiresGrad = true; });
    add([](auto& traced) { traced.constants["constant"].bytes.back() = '\2'; });
    add([](auto& traced) { traced.configuration.state.deterministic = true; });
    add([](auto& traced) { traced.configuration.functorch.cse = false; });
}

TEST_CASE("what an entry takes from its finder is not in the key of a partition") {
    aot::CompiledFunction traced = fullCompile();
    const std::string key = partitionKey(traced);
    traced.program = traced.graph;
    traced.configuration.state.threads = 3;
    traced.configuration.functorch.chosen = {"cse"};
    CHECK(partitionKey(traced) == key);
}

TEST_CASE("a compile that was written and read again has the same key of its partition") {
    const aot::CompiledFunction traced = fullCompile();
    const auto read = aot::compiledFunctionFromJson(aot::compiledFunctionToJson(traced));
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(partitionKey(*read) == partitionKey(traced));
}

TEST_CASE("what is inside of a tensor subclass makes another key") {
    const auto keyWith = [](std::int64_t size) {
        ir::TensorMeta inner;
        inner.shape = {size};
        aot::RetraceRequest request = requestOf(symbolicText());
        request.inputs[1].viewBase.emplace().subclass =
            std::make_shared<const ir::SubclassMeta>(ir::SubclassMeta{"TwoTensor", {{"a", inner}}});
        return digestOf(request);
    };
    CHECK(keyWith(4) == keyWith(4));
    CHECK(keyWith(4) != keyWith(8));
}

TEST_CASE("numbers that JSON cannot write are different values of floats") {
    std::set<std::string> keys;
    for (const double value :
         {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN(), 0.5}) {
        aot::RetraceRequest request = requestOf(symbolicText());
        request.floatHints = {{"zf0", value}};
        CHECK(keys.insert(digestOf(request)).second);
    }
}

TEST_CASE("what a trace does not depend on is not in its key") {
    aot::RetraceRequest request = requestOf(symbolicText());
    const std::string key = digestOf(request);
    request.state.threads = 3;
    request.state.torchFunction = false;
    request.state.torchFunctionAllDisabled = true;
    CHECK(digestOf(request) == key);
    // The same options, named by a person.
    request.functorch = aot::defaultConfig(request.torch);
    request.functorch->chosen = {"cse"};
    request.functorch->ofBackend = {"cse"};
    request.functorch->assumed = {"cse"};
    CHECK(digestOf(request) == key);
}

TEST_CASE("where inputs overlap depends on values, so these are in the key") {
    const auto shared = [](std::int64_t value) {
        aot::RetraceRequest request = requestOf(symbolicText(), {{"s77", value}});
        for (aot::RetraceInput& input : request.inputs) {
            input.storage = 3;
        }
        return digestOf(request);
    };
    CHECK(shared(8) == shared(8));
    CHECK(shared(8) != shared(9));
}

TEST_CASE("two keys are told apart in words") {
    aot::RetraceRequest request = requestOf(symbolicText());
    const cache::CacheKey none = cache::keyOf(request, smallEnvironment());
    request.decompositions = aot::DecompositionTable::Core;
    const cache::CacheKey core = cache::keyOf(request, smallEnvironment());
    CHECK(none.programDigest == core.programDigest);
    CHECK(cache::componentsApart(none, core) == "decompositions (stored none, requested core)");
    CHECK(cache::componentsApart(core, core).empty());
}
