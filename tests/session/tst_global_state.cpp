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
