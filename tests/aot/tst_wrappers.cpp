// The wrappers computed from PyTorch's metadata and graphs, compared with the wrappers that PyTorch recorded.
#include "golden_units.h"

#include "aot/post_compile_wrappers.h"
#include "ir/graph_builder.h"

#include <iostream>

using namespace aotscope;
using test::Json;

namespace {

std::vector<std::string> namesOf(const std::vector<aot::WrapperStep>& steps) {
    std::vector<std::string> names;
    for (const aot::WrapperStep& step : steps) {
        names.emplace_back(aot::wrapperName(step.wrapper));
    }
    return names;
}

template<typename T>
const T& stateOf(const std::vector<aot::WrapperStep>& steps) {
    const aot::WrapperStep* step = aot::findWrapper<T>(steps);
    REQUIRE(step != nullptr);
    return std::get<T>(step->wrapper);
}

/// The wrappers before the trace for a function without duplicates or aliased inputs.
std::vector<aot::WrapperStep> idleInputWrappers() {
    return {{aot::AOTDedupeWrapper{}, false, "no tensor is passed twice"},
            {aot::AOTSyntheticBaseWrapper{}, false, "no two inputs share memory"}};
}

void checkRuntime(const aot::RuntimeWrapper& runtime, const Json& metadata) {
    std::vector<std::size_t> mutated;
    for (const aot::InputMutation& mutation : runtime.mutations) {
        mutated.push_back(mutation.input);
        CHECK(mutation.epilogue != aot::MutationEpilogue::None);
    }
    CHECK(Json(mutated) == metadata["derived.mutated_inp_runtime_indices"]);
    std::vector<std::size_t> aliased;
    for (std::size_t i = 0; i < runtime.outputs.size(); ++i) {
        if (runtime.outputs[i].handler != aot::AliasHandler::Noop) {
            aliased.push_back(i);
            CHECK(runtime.outputs[i].baseIdx.has_value());
        }
    }
    CHECK(Json(aliased) == metadata["derived.aliased_out_indices"]);
    CHECK(runtime.outputs.size() == metadata["derived.num_outputs"]);
    CHECK(runtime.numIntermediateBases == metadata["num_intermediate_bases"]);
}

void checkAutograd(const aot::AOTDispatchAutograd& autograd, const Json& metadata) {
    CHECK(autograd.numForwardReturns == metadata["derived.num_forward_returns"]);
    std::vector<std::size_t> unsafeViews = autograd.unsafeViews;
    for (std::size_t& position : unsafeViews) {
        position -= metadata["derived.num_mutated_inp_runtime_indices"].get<std::size_t>();
    }
    CHECK(Json(unsafeViews) == metadata["derived.unsafe_view_out_indices"]);
    CHECK(autograd.tangents.size() == metadata["traced_tangents"].size());
    REQUIRE(autograd.saved.has_value());
    CHECK(autograd.saved->numSymintsSavedForBw == metadata["num_symints_saved_for_bw"]);
    CHECK(autograd.saved->numTensorsSavedWithNoVcCheck == metadata["num_tensors_saved_with_no_vc_check"]);
}

} // namespace

TEST_CASE("wrappers hold what PyTorch recorded of them" * test::needsCorpus()) {
    int units = 0;
    int detaching = 0;
    int mutating = 0;
    int aliasing = 0;
    int effects = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        INFO(golden.where);
        aot::CompiledFunction function = golden.function;
        function.wrappers = idleInputWrappers();
        const std::vector<aot::WrapperStep> steps = aot::postCompileWrappers(function);
        const Json& metadata = golden.answer["fw_metadata"];
        const auto& runtime = stateOf<aot::RuntimeWrapper>(steps);
        checkRuntime(runtime, metadata);
        const std::size_t tokens = metadata["tokens"].size();
        CHECK(stateOf<aot::EffectTokensWrapper>(steps).tokens == tokens);
        CHECK(aot::findWrapper<aot::EffectTokensWrapper>(steps)->applies == (tokens > 0));
        CHECK(aot::findWrapper<aot::FunctionalizedRngRuntimeWrapper>(steps)->applies ==
              metadata["derived.is_rng_op_functionalized"]);
        if (function.joint) {
            checkAutograd(stateOf<aot::AOTDispatchAutograd>(steps), metadata);
            // A tensor subclass is several inputs and outputs of the graph.
            if (!golden.hasSubclasses) {
                CHECK(function.partition->forwardOutputs ==
                      stateOf<aot::AOTDispatchAutograd>(steps).numForwardReturns + tokens);
                CHECK(Json(runtime.indicesOfInpsToDetach) == golden.answer["indices_of_inps_to_detach"]);
            }
        }
        ++units;
        detaching += runtime.indicesOfInpsToDetach.empty() ? 0 : 1;
        mutating += runtime.mutations.empty() ? 0 : 1;
        aliasing += metadata["derived.num_outputs_aliased"] == 0 ? 0 : 1;
        effects += tokens > 0 ? 1 : 0;
    });
    std::cout << units << " compiles: " << mutating << " with mutated inputs, " << aliasing
              << " with aliased outputs, " << effects << " with effects, " << detaching << " that detach\n";
    CHECK(units > 100);
    CHECK(mutating > 0);
    CHECK(aliasing > 0);
    CHECK(effects > 0);
}

TEST_CASE("wrappers come in the order in which PyTorch puts them around the graph") {
    aot::CompiledFunction function;
    function.graph = ir::GraphBuilder().finish();
    function.wrappers = idleInputWrappers();
    function.path = aot::TracePath::Autograd;
    CHECK(namesOf(aot::postCompileWrappers(function)) ==
          std::vector<std::string>{"EffectTokensWrapper", "AOTDispatchSubclassWrapper",
                                   "FunctionalizedRngRuntimeWrapper", "FakifiedOutWrapper",
                                   "AOTDispatchAutograd", "RuntimeWrapper", "DebugAssertWrapper",
                                   "AOTSyntheticBaseWrapper", "AOTDedupeWrapper"});
    function.path = aot::TracePath::Inference;
    CHECK(namesOf(aot::postCompileWrappers(function)) ==
          std::vector<std::string>{"EffectTokensWrapper", "AOTDispatchSubclassWrapper",
                                   "FunctionalizedRngRuntimeWrapper", "FakifiedOutWrapper", "RuntimeWrapper",
                                   "AOTSyntheticBaseWrapper", "AOTDedupeWrapper"});
    function.path = aot::TracePath::Export;
    CHECK(namesOf(aot::postCompileWrappers(function)) ==
          std::vector<std::string>{"AOTSyntheticBaseWrapper", "AOTDedupeWrapper"});
}

TEST_CASE("the epilogue of a mutated input is what RuntimeWrapper does for its flags") {
    aot::CompiledFunction function;
    function.graph = ir::GraphBuilder().finish();
    const auto epilogue = [&](ir::InputAliasInfo info) {
        function.metadata.inputInfo = {info};
        const auto steps = aot::postCompileWrappers(function);
        const auto& mutations = stateOf<aot::RuntimeWrapper>(steps).mutations;
        REQUIRE(mutations.size() == 1);
        return mutations.front().epilogue;
    };
    using aot::MutationEpilogue;
    CHECK(epilogue({.mutatesData = true}) == MutationEpilogue::Copy);
    CHECK(epilogue({.mutatesMetadata = true}) == MutationEpilogue::AsStrided);
    CHECK(epilogue({.mutatesData = true, .mutatesMetadata = true}) == MutationEpilogue::AsStridedAndCopy);
    CHECK(epilogue({.mutatesMetadata = true, .mutatesStorageMetadata = true}) == MutationEpilogue::Set);
    CHECK(epilogue({.isLeaf = true, .mutatesData = true, .requiresGrad = true}) ==
          MutationEpilogue::DetachedCopy);
    CHECK(epilogue({.isLeaf = true, .mutatesData = true, .mutatesMetadata = true, .requiresGrad = true}) ==
          MutationEpilogue::AsStridedAndDetachedCopy);
    // A tensor that is no leaf takes part in autograd, and so does its copy.
    CHECK(epilogue({.isLeaf = false, .mutatesData = true, .requiresGrad = true}) == MutationEpilogue::Copy);
}
