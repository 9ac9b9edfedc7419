#include "contract/run_time_hooks.h"
#include "explore/compiled_autograd_hooks.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;
using session::RunTimeHook;

namespace {

/// A graph of compiled autograd as FX prints it: the backward `aot0` of a compiled function, whose two saved
/// tensors hooks unpack, beside a symbolic integer; then hooks of a gradient and of an eager node.
const std::string compiledAutograd = R"(class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # No stacktrace found for following nodes
        getitem = inputs[0]
        getitem_1 = inputs[1];  inputs = None
        getitem_2 = sizes[0];  sizes = None

        # File: torch/_dynamo/compiled_autograd.py:1606 in set_node_origin, code: CompiledFunctionBackward0 (NodeCall 2)
        getitem_3 = hooks[0]
        getitem_4 = packed_data[0]
        getitem_5 = hooks[1]
        getitem_6 = packed_data[1]
        call_hook = torch__dynamo_external_utils_call_hook(getitem_3, getitem_4, hook_type = 'unpack_hook')
        call_hook_1 = torch__dynamo_external_utils_call_hook(getitem_5, getitem_6, hook_type = 'unpack_hook')
        call_aot_bwd_prologue = torch__dynamo_compiled_autograd_call_aot_bwd_prologue((call_hook, call_hook_1), [getitem_2], [], (getitem,))
        aot0_s77 = call_aot_bwd_prologue[0]
        aot0_primals_2 = call_aot_bwd_prologue[1]
        aot0_tanh = call_aot_bwd_prologue[2]
        aot0_tangents_1 = call_aot_bwd_prologue[3]

        # File: torch/_dynamo/compiled_autograd.py:1606 in set_node_origin, code: SinBackward0 (NodeCall 3)
        getitem_7 = hooks[2]
        getitem_8 = packed_data[2]
        call_hook_2 = torch__dynamo_external_utils_call_hook(getitem_7, getitem_8, hook_type = 'unpack_hook')

        # File: torch/_dynamo/compiled_autograd.py:1606 in set_node_origin, code: torch::autograd::AccumulateGrad (NodeCall 5)
        getitem_9 = hooks[3]
        call_hook_3 = torch__dynamo_external_utils_call_hook(getitem_9, aot0_tanh, hook_type = 'tensor_pre_hook')
        return []
)";

ir::GraphPtr autogradGraph(const std::string& text) {
    auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

ir::GraphPtr backwardOf(const std::string& inputs) {
    return autogradGraph("class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs +
                         "):\n        return (None,)\n");
}

} // namespace

TEST_CASE("a graph of compiled autograd says which hooks it calls, where, and what they unpack") {
    const std::vector<RunTimeHook> hooks = session::runTimeHooks(*autogradGraph(compiledAutograd));
    const std::vector<RunTimeHook> expected = {
        {"unpack_hook", "call_hook", "CompiledFunctionBackward0 (NodeCall 2)", "primals_2"},
        {"unpack_hook", "call_hook_1", "CompiledFunctionBackward0 (NodeCall 2)", "tanh"},
        {"unpack_hook", "call_hook_2", "SinBackward0 (NodeCall 3)", ""},
        {"tensor_pre_hook", "call_hook_3", "torch::autograd::AccumulateGrad (NodeCall 5)", ""},
    };
    CHECK(hooks == expected);
    CHECK(session::runTimeHooksText(hooks) == "3 × unpack_hook: primals_2, tanh, SinBackward0 (NodeCall 3); "
                                              "1 × tensor_pre_hook: AccumulateGrad (NodeCall 5)");
    CHECK(session::runTimeHooksText(hooks, 1) ==
          "3 × unpack_hook: primals_2, …; 1 × tensor_pre_hook: AccumulateGrad (NodeCall 5)");
}

TEST_CASE("a graph without hooks says none") {
    const ir::GraphPtr graph = backwardOf("inputs, sizes, scalars, hooks, packed_data");
    CHECK(session::runTimeHooks(*graph).empty());
    CHECK(session::runTimeHooksText(session::runTimeHooks(*graph)) == "none");
}

TEST_CASE("the compiled backward that a graph runs is known by its inputs") {
    const ir::GraphPtr graph = autogradGraph(compiledAutograd);
    CHECK(session::runsBackward(*graph, *backwardOf("s77, primals_2, tanh, tangents_1")));
    CHECK_FALSE(session::runsBackward(*graph, *backwardOf("s77, primals_2, cos, tangents_1")));
    CHECK_FALSE(session::runsBackward(*graph, *backwardOf("primals_2, tanh")));
}
