// A compile as JSON: what is written can be read back whole.
#include "golden_units.h"

#include "aot/compile.h"
#include "aot/compiled_function_json.h"
#include "aot/versions/versions.h"

#include <iostream>

using namespace aotscope;
using test::Json;

namespace {

bool sameReport(const passes::Partition& left, const passes::Partition& right) {
    return left.savedTensors == right.savedTensors && left.savedSymbols == right.savedSymbols &&
           left.forwardOutputs == right.forwardOutputs && left.rules == right.rules &&
           left.forwardNames == right.forwardNames && left.backwardNames == right.backwardNames &&
           ir::equalGraphs(*left.joint, *right.joint) && ir::equalGraphs(*left.forward, *right.forward) &&
           ir::equalGraphs(*left.backward, *right.backward);
}

void checkRoundTrip(const aot::CompiledFunction& function) {
    const std::string written = aot::compiledFunctionToJson(function);
    const auto read = aot::compiledFunctionFromJson(written);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(aot::compiledFunctionToJson(*read) == written);
    CHECK(read->path == function.path);
    CHECK(read->joint == function.joint);
    CHECK(read->reason == function.reason);
    CHECK(read->configuration == function.configuration);
    CHECK(read->wrappers == function.wrappers);
    CHECK(read->signature == function.signature);
    CHECK(read->guards.size() == function.guards.size());
    REQUIRE(read->constants.size() == function.constants.size());
    for (const auto& [name, constant] : function.constants) {
        CHECK(read->constants.at(name).dtype == constant.dtype);
        CHECK(read->constants.at(name).shape == constant.shape);
        CHECK(read->constants.at(name).bytes == constant.bytes);
    }
    CHECK(read->metadata.inputInfo == function.metadata.inputInfo);
    CHECK(read->metadata.outputInfo == function.metadata.outputInfo);
    CHECK(read->metadata.tracedTangents == function.metadata.tracedTangents);
    CHECK(read->metadata.tracedTangentsDescs == function.metadata.tracedTangentsDescs);
    CHECK(read->metadata.subclassTangentMeta == function.metadata.subclassTangentMeta);
    CHECK(read->metadata.tangentSourceStackTraces == function.metadata.tangentSourceStackTraces);
    CHECK(read->metadata.actInputPaths == function.metadata.actInputPaths);
    CHECK(read->metadata.otherFields == function.metadata.otherFields);
    CHECK(read->metadata.unreadFields == function.metadata.unreadFields);
    CHECK(ir::equalGraphs(*read->graph, *function.graph));
    REQUIRE((read->partition == nullptr) == (function.partition == nullptr));
    if (function.partition) {
        CHECK(sameReport(*read->partition, *function.partition));
    }
}

/// Every wrapper, with a value in every member.
std::vector<aot::WrapperStep> everyWrapper() {
    aot::AOTSyntheticBaseWrapper bases;
    bases.traceJoint = true;
    bases.bases = {{2, true}, {0, false}};
    bases.syntheticBaseInfo = {std::size_t{3}, aot::ViewOfBase{1, {4, ir::SymExpr("2*s0")}, {8, 1}, 7, true}};
    bases.aliasedArgIdxWithMetadataMutations = {1};
    bases.oldInputInfo = {
        {.mutatesMetadata = true, .requiresGrad = true, .mutationIsShallowCopyData = false}};
    aot::AOTDispatchAutograd autograd;
    autograd.disableAmp = true;
    autograd.numForwardReturns = 5;
    autograd.saved = aot::SavedForBackward{4, 1, 2};
    autograd.tensorAliases = {0, 3};
    autograd.unsafeViews = {1};
    autograd.nonDifferentiable = {2};
    autograd.tangents = {4};
    aot::RuntimeWrapper runtime;
    runtime.traceJoint = true;
    runtime.disableAmp = true;
    runtime.indicesOfInpsToDetach = {1};
    runtime.incrementVersion = {2};
    for (std::size_t i = 0; i < base::words<aot::MutationEpilogue>().size(); ++i) {
        runtime.mutations.push_back({i, static_cast<aot::MutationEpilogue>(i)});
    }
    for (std::size_t i = 0; i < base::words<aot::AliasHandler>().size(); ++i) {
        runtime.outputs.push_back(
            {static_cast<aot::AliasHandler>(i), i == 0 ? std::nullopt : std::optional(i), i % 2 == 0});
    }
    runtime.numIntermediateBases = 2;
    runtime.dynamicDims = {{}, {0, 2}};
    runtime.gradEnabledMutation = false;
    return {{aot::AOTDedupeWrapper{{true, false}, {0, 0}}, true, "a \"reason\""},
            {bases, true, "shared"},
            {aot::EffectTokensWrapper{3}, true, ""},
            {aot::AOTDispatchSubclassWrapper{true, 7}, false, "none"},
            {aot::AOTDispatchSubclassWrapper{false, std::nullopt}, false, "none"},
            {aot::FunctionalizedRngRuntimeWrapper{false, 4}, true, "on"},
            {aot::FakifiedOutWrapper{}, false, "off"},
            {autograd, true, ""},
            {runtime, true, ""},
            {aot::DebugAssertWrapper{{true, false, std::nullopt}}, true, ""}};
}

} // namespace

TEST_CASE("every wrapper comes back from JSON as it was") {
    const std::vector<aot::WrapperStep> steps = everyWrapper();
    for (std::size_t kind = 0; kind < std::variant_size_v<aot::Wrapper>; ++kind) {
        CHECK(std::ranges::any_of(
            steps, [&](const aot::WrapperStep& step) { return step.wrapper.index() == kind; }));
    }
    aot::CompiledFunction function;
    function.wrappers = steps;
    const auto read = aot::compiledFunctionFromJson(aot::compiledFunctionToJson(function));
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->wrappers == steps);
}

TEST_CASE("JSON of another form is refused with the field's name") {
    aot::CompiledFunction function;
    function.wrappers = {{aot::EffectTokensWrapper{1}, true, "it has effects"}};
    const std::string written = aot::compiledFunctionToJson(function);
    const auto refused = [&](const std::string& part, const char* wrong, const char* word) {
        std::string json = written;
        json.replace(json.find(part), part.size(), wrong);
        const auto read = aot::compiledFunctionFromJson(json);
        REQUIRE_FALSE(read.ok());
        INFO(read.error().message);
        CHECK(read.error().message.find(word) != std::string::npos);
    };
    refused("{", "[", "JSON");
    refused("\"EffectTokensWrapper\"", "\"Other\"", "Other");
    refused("\"applies\":true", "\"applies\":1", "applies");
    refused("\"tokens\":1", "\"tokens\":-1", "tokens");
    refused("\"tokens\":1", "", "tokens");
    const auto versionedError = [](int version) {
        const auto read = aot::compiledFunctionFromJson("{\"version\": " + std::to_string(version) + "}");
        return read ? "none" : read.error().code;
    };
    CHECK(aot::compiledFunctionFromJson("{}").error().code == "aot.json_version");
    CHECK(versionedError(aot::compiledFunctionVersion - 1) == "aot.json_version");
    CHECK(versionedError(aot::compiledFunctionVersion + 1) == "aot.json_version");
    CHECK(versionedError(aot::compiledFunctionVersion) == "aot.json_form");
}

TEST_CASE("PyTorch's golden compiles, split here, come back from JSON as they were" * test::needsCorpus()) {
    int functions = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        // The largest take long, and hold nothing that the others lack.
        if (golden.function.graph->size() > 600) {
            return;
        }
        INFO(golden.where);
        aot::CompiledFunction function = golden.function;
        function.program = function.graph;
        function.reason = "an output requires grad";
        function.wrappers = everyWrapper();
        function.guards = {
            {ir::SymExpr("Eq(s0, 8)"), "mm", ir::SourceLocation{"model.py", 41, "forward", "x @ y"}, true},
            {ir::SymExpr("s0 > 2"), "", std::nullopt, false}};
        function.constants["_tensor_constant0"] = {"int64", {1}, std::string("\0\xff\x10 abcd", 8)};
        function.configuration.state.autocasts = {{"cpu", ir::DType::BFloat16}};
        function.configuration.export_ = aot::ExportOptions{.joint = true, .loss = 1};
        if (auto signature = aot::makeSignature(*function.graph, &function.metadata)) {
            function.signature = std::move(signature).value();
        }
        if (function.joint) {
            passes::PartitionOptions options;
            options.memoryBudget = functions % 2 == 0 ? 1.0 : 0.5;
            options.forwardOutputs = function.partition->forwardOutputs;
            options.rules = aot::torchRules({2, 15}).partition;
            aot::CompiledFunction traced = function;
            traced.partition = nullptr;
            const auto split =
                aot::compile(std::move(traced), {.partition = options, .until = aot::StageKind::Partition});
            // Goldens whose halves are not made here keep PyTorch's.
            function = split ? *split : function;
        }
        checkRoundTrip(function);
        ++functions;
    });
    std::cout << functions << " compiles written and read\n";
    CHECK(functions > 90);
}
