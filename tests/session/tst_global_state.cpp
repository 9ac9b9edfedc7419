// The global state during a compile, read from its guards, also in damaged logs.
#include "evidence/log_evidence.h"

#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace aotscope;

namespace {

std::string graph(std::string_view ids) {
    return "V1121 00:13:53.025000 22725 torch/_dynamo/output_graph.py:2423] {\"dynamo_output_graph\": {}" +
           std::string(ids) +
           ", \"has_payload\": \"00000000000000000000000000000000\"}\n"
           "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self):\n\t        return ()\n";
}

std::string guards(std::string_view ids) {
    return "V1121 00:13:53.025000 22725 torch/_dynamo/guards.py:3977] {\"dynamo_cpp_guards_str\": {}" +
           std::string(ids) +
           ", \"has_payload\": \"00000000000000000000000000000000\"}\n"
           "\t+- GLOBAL_STATE: ___check_global_state() against {\"grad_mode\": false}\n";
}

std::string attempt(std::string_view number) {
    return ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": " + std::string(number);
}

/// The state for the first record.
aot::GlobalState stateIn(const std::string& text) {
    const test::TempFolder folder;
    const load::TraceLogPtr log = *load::TraceLog::read(folder.write("l.log", text));
    const load::RecordId first(0);
    return evidence::LogEvidence(log, log->compileOf(first), first)
        .globalState()
        .value_or(aot::GlobalState());
}

} // namespace

TEST_CASE("an attempt without guards has the state of the next one that has them") {
    CHECK(stateIn(graph(attempt("0")) + guards(attempt("1"))).gradEnabled == false);
    CHECK(stateIn(graph(attempt("0")) + graph(attempt("1")) + guards(attempt("2"))).gradEnabled == false);
    CHECK(stateIn(graph(attempt("1")) + guards(attempt("0"))).gradEnabled);
    CHECK(stateIn(graph(attempt("0")) + guards(", \"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 1"))
              .gradEnabled);
}

TEST_CASE("the search for a later attempt ends where ids are lost or as large as they get") {
    CHECK(stateIn(graph("") + guards(attempt("0"))).gradEnabled);
    CHECK(stateIn(graph(attempt("2147483647")) + guards(attempt("0"))).gradEnabled);
    CHECK(stateIn(graph(", \"compiled_autograd_id\": 0") + guards(attempt("0"))).gradEnabled);
}

TEST_CASE("all that the guard of a release holds is read") {
    // Written by torch 2.15 under set_default_dtype(float64), autocast without its cache, deterministic
    // algorithms that warn, allow_tf32 and full sums.
    const auto state = evidence::guardedGlobalState(
        "| +- GLOBAL_STATE: ___check_global_state() against {\"allow_bf16_reduce\":2,\"allow_fp16_reduce\":1,"
        "\"allow_tf32\":true,\"autocast_state\":{\"cached_enabled\":false,\"dtype\":[15,5,5,15,5,5,15,15,5,"
        "5],\"enabled\":[true,false,false,false,false,false,false,false,false,false]},"
        "\"cuda_matmul_precision\":2,\"default_dtype\":7,\"deterministic_algorithms\":true,"
        "\"deterministic_algorithms_warn_only\":true,\"grad_mode\":false,\"num_threads\":3,"
        "\"torch_function\":false,\"torch_function_all_disabled\":true}\n");
    REQUIRE(state);
    CHECK(state->defaultDtype == ir::DType::Float64);
    CHECK_FALSE(state->gradEnabled);
    CHECK_FALSE(state->inferenceMode);
    CHECK(state->autocasts == std::vector<aot::AmbientAutocast>{{"cpu", ir::DType::BFloat16}});
    CHECK_FALSE(state->autocastCache);
    CHECK(state->deterministic);
    CHECK(state->deterministicWarnOnly);
    CHECK(state->allowTf32);
    CHECK(state->fp16Sums == aot::ReducedSums::NotAllowed);
    CHECK(state->bf16Sums == aot::ReducedSums::NeitherNorSplit);
    CHECK(state->matmulPrecision == 2);
    CHECK(state->threads == 3);
    CHECK_FALSE(state->torchFunction);
    CHECK(state->torchFunctionAllDisabled);
    CHECK(aot::stateLines(*state).size() == 11);
    CHECK(aot::stateLines(aot::GlobalState()).empty());
}

TEST_CASE(
    "a member of the wrong type has its default, and inputs without an autograd key tell inference mode") {
    const auto odd = evidence::guardedGlobalState(
        "___check_global_state() against {\"default_dtype\":\"float64\",\"num_threads\":18446744073709551615,"
        "\"allow_fp16_reduce\":99,\"autocast_state\":[],\"grad_mode\":1}");
    REQUIRE(odd);
    CHECK(*odd == aot::GlobalState());
    const std::string off = "___check_global_state() against {\"grad_mode\":false}\n";
    const std::string tensor = "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect";
    CHECK(evidence::guardedGlobalState(off + tensor + ", ADInplaceOrView), torch.float32")->inferenceMode);
    CHECK_FALSE(evidence::guardedGlobalState(off + tensor + ", ADInplaceOrView, AutogradCPU), torch.float32")
                    ->inferenceMode);
    CHECK_FALSE(evidence::guardedGlobalState(off)->inferenceMode);
    CHECK_FALSE(evidence::guardedGlobalState("no such guard"));
}
