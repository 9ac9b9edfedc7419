// What a key tells apart, and what it does not.
#include "cache/small_compiles.h"

#include "ir/json/graph_json.h"

#include <functional>
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
    ir::Graph graph = hinted.program->clone();
    graph.editSymbolHints()["s77"] = 31;
    hinted.program = ir::Graph::freeze(std::move(graph));
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
          "inputs");
    CHECK(changedComponent([](Request& request, Environment&) {
              request.floatHints = {{"zf0", 0.5}};
          }) == "inputs");
    CHECK(changedComponent([](Request& request, Environment&) { request.state.gradEnabled = false; }) ==
          "configuration");
    CHECK(changedComponent([](Request& request, Environment&) { request.state.autocasts = {{"cpu"}}; }) ==
          "configuration");
    CHECK(changedComponent([](Request& request, Environment&) { request.keepInputMutations = false; }) ==
          "configuration");
    CHECK(changedComponent([](Request& request, Environment&) { request.lazyArithmetic = true; }) ==
          "configuration");
    CHECK(changedComponent([](Request& request, Environment&) { request.returnsTree = true; }) ==
          "configuration");
    CHECK(changedComponent([](Request& request, Environment&) {
              request.decompositions = aot::DecompositionTable::Core;
          }) == "decompositions");
    // Another release also has other defaults of options.
    CHECK(changedComponent([](Request& request, Environment&) {
              request.torch = {2, 15};
          }) == "options rules");
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
          }) == "program devices");
}

TEST_CASE("options of a partition make different keys") {
    std::set<std::string> keys;
    const auto add = [&](const std::function<void(passes::PartitionOptions&)>& change) {
        cache::CompileEnvironment environment = smallEnvironment();
        change(environment.partition.emplace());
        CHECK(keys.insert(cache::keyOfPartition(test::resultOf(), environment).digest).second);
    };
    add([](auto&) {});
    add([](auto& options) { options.partitioner = passes::Partitioner::Default; });
    add([](auto& options) { options.memoryBudget = 0.5; });
    add([](auto& options) { options.solver = passes::BudgetSolver::Greedy; });
    add([](auto& options) { options.bans.reductions = false; });
    add([](auto& options) { options.choices = {{"relu", passes::Forced::Save}}; });
    add([](auto& options) { options.choices = {{"relu", passes::Forced::Recompute}}; });
    add([](auto& options) { options.staticInputs = {0}; });
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
    CHECK(cache::componentsApart(none, core) == "decompositions (stored none, asked for core)");
    CHECK(cache::componentsApart(core, core).empty());
}
