// Hooks of a plan inlined into a small partition. Tracing is left out: these hooks are graphs of ATen
// operators.
#include "hooks/inline_plan.h"
#include "hooks/python_text.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;

namespace {

/// z = cos(sin(x)) and r = relu(x): sin is read whole in the backward, relu only compared with 0.
passes::Partition split() {
    auto graph = ir::parseGraphText(R"(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[4][1]cpu", tangents_1: "f32[4][1]cpu", tangents_2: "f32[4][1]cpu"):
        sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(primals_1)
        cos: "f32[4][1]cpu" = torch.ops.aten.cos.default(sin)
        neg: "f32[4][1]cpu" = torch.ops.aten.neg.default(primals_1)
        relu: "f32[4][1]cpu" = torch.ops.aten.relu.default(neg)
        mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(relu, 2)
        sin_1: "f32[4][1]cpu" = torch.ops.aten.sin.default(sin)
        mul_1: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, sin_1)
        threshold: "f32[4][1]cpu" = torch.ops.aten.threshold_backward.default(tangents_2, relu, 0)
        add: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(mul_1, threshold)
        return (cos, mul, add)
)");
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    passes::PartitionOptions options;
    options.partitioner = passes::Partitioner::Default;
    options.forwardOutputs = 2;
    auto made = passes::partitionJointGraph(*graph, options);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    CHECK(made->savedTensors == std::vector<std::string>{"sin", "relu"});
    return std::move(made).value();
}

std::string hookText(const std::string& head, const std::string& pack, const std::string& unpack,
                     const std::string& dtype = "f16") {
    return head + "class pack(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]cpu\"):\n        " +
           pack +
           "\n        return (to,)\n\nclass unpack(torch.nn.Module):\n    def forward(self, packed: \"" +
           dtype + "[4][1]cpu\"):\n        value = packed[0]\n        " + unpack +
           "\n        return (back,)\n";
}

const std::string toHalf =
    R"(to: "f16[4][1]cpu" = torch.ops.aten._to_copy.default(x, dtype = torch.float16))";
const std::string fromHalf =
    R"(back: "f32[4][1]cpu" = torch.ops.aten._to_copy.default(value, dtype = torch.float32))";

/// What tracing makes of a program of these hooks: a pack hook as it is, an unpack hook, which takes the
/// packed values apart by `packed[0]`, as a graph of these values.
ir::GraphPtr tracedProgram(const ir::GraphPtr& program) {
    const ir::GraphPtr hook = program->trySubgraph("unpack_hook");
    if (!hook) {
        return program;
    }
    ir::GraphBuilder made(*hook);
    const ir::NodeId input = made.placeholders().front();
    made.replaceAllUses(*hook->tryFind("value"), input);
    made.erase(*hook->tryFind("value"));
    return made.finish();
}

bool callsUnknown(const ir::Graph& graph, std::string& node) {
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).target == "aten.unknown.default") {
            node = graph.node(id).name;
            return true;
        }
    }
    return false;
}

struct Inlined {
    base::Result<hooks::InlinedPlan> plan;
    int traces = 0;
};

Inlined inlined(const hooks::HookPlan& plan, const std::map<std::string, std::string>& hookOf,
                hooks::HookMemo& memo) {
    Inlined made{base::Error{}};
    const aot::CompiledFunction function;
    const auto trace = [&](const aot::RetraceRequest& request) -> base::Result<aot::RetraceResult> {
        ++made.traces;
        base::Error error{.code = "trace.unsupported", .message = "aten.unknown is not known."};
        if (callsUnknown(*request.program, error.place.node)) {
            return error;
        }
        aot::RetraceResult result;
        result.function.graph = tracedProgram(request.program);
        return result;
    };
    made.plan = hooks::inlinePlan(split(), {.plan = plan,
                                            .hookOf = hookOf,
                                            .filter = passes::HookFilter::All,
                                            .staticInputs = {},
                                            .function = function,
                                            .logged = {},
                                            .trace = trace,
                                            .memo = memo});
    REQUIRE_MESSAGE(made.plan.ok(), (made.plan.ok() ? "" : made.plan.error().text()));
    return made;
}

Inlined inlinedOnce(const std::string& text, const std::map<std::string, std::string>& hookOf) {
    hooks::HookMemo memo;
    return inlined({.rules = {}, .own = {{"mine", text}}}, hookOf, memo);
}

/// The only hook that could not be applied.
hooks::BrokenHook brokenOf(const Inlined& made) {
    REQUIRE(made.plan->broken.size() == 1);
    CHECK(made.plan->broken.front().error.place.file == "mine");
    return made.plan->broken.front();
}

const std::map<std::string, std::string> both = {{"sin", "mine"}, {"relu", "mine"}};

} // namespace

TEST_CASE("a hook of the plan packs the tensors that have it, and no others") {
    const Inlined made = inlinedOnce(hookText("", toHalf, fromHalf), {{"sin", "mine"}});
    CHECK(made.plan->broken.empty());
    CHECK(made.plan->partition.savedTensors == std::vector<std::string>{"sin_hook_0", "relu"});
    REQUIRE(made.plan->tensors.size() == 2);
    CHECK(made.plan->tensors[0].hook == "mine");
    CHECK(made.plan->tensors[1].hook.empty());
    CHECK(made.plan->tensors[1].why.empty());
}

TEST_CASE("the same hook is traced once for tensors with the same metadata, also for the next plan") {
    hooks::HookMemo memo;
    const hooks::HookPlan plan{.rules = {}, .own = {{"mine", hookText("", toHalf, fromHalf)}}};
    CHECK(inlined(plan, both, memo).traces == 2);
    CHECK(inlined(plan, {{"relu", "mine"}}, memo).traces == 0);
}

TEST_CASE("a hook that cannot be traced is told at its line, and the compile goes on without it") {
    const Inlined made = inlinedOnce(
        hookText("", R"(to: "f16[4][1]cpu" = torch.ops.aten.unknown.default(x))", fromHalf), both);
    const hooks::BrokenHook broken = brokenOf(made);
    CHECK(broken.error.place.line == 3);
    CHECK(broken.tensors == std::vector<std::string>{"sin", "relu"});
    CHECK(made.plan->partition.savedTensors == std::vector<std::string>{"sin", "relu"});
    CHECK(made.plan->tensors[0].why == "aten.unknown is not known.");
}

TEST_CASE("a round trip must keep shape and dtype") {
    const Inlined made = inlinedOnce(
        hookText("", toHalf, R"(back: "f16[4][1]cpu" = torch.ops.aten.neg.default(value))"), both);
    const hooks::BrokenHook broken = brokenOf(made);
    CHECK(broken.error.code == "hooks.round_trip");
    CHECK(broken.error.place.line == 10);
    CHECK(broken.error.message.find("f16[4]") != std::string::npos);
}

TEST_CASE("a text that is no hook is left out for all its tensors") {
    const hooks::BrokenHook broken = brokenOf(inlinedOnce("class pack(torch.nn.Module):\n    def\n", both));
    CHECK(broken.tensors.size() == 2);
    CHECK(broken.error.place.line > 0);
}

TEST_CASE("a hook is given only to the tensors it is made for") {
    const Inlined other = inlinedOnce(hookText("# dtypes: bf16\n", toHalf, fromHalf), both);
    CHECK(other.plan->broken.empty());
    CHECK(other.plan->tensors[0].why == "made for bf16");
    const Inlined sign = inlinedOnce(hookText("# read: sign\n", toHalf, fromHalf), both);
    CHECK(sign.plan->tensors[0].why == "the backward reads more than the sign");
    CHECK(sign.plan->tensors[1].hook == "mine");
    CHECK(sign.plan->partition.savedTensors == std::vector<std::string>{"sin", "relu_hook_0"});
}

TEST_CASE("as Python the hooks of a plan choose by the saved tensor's name") {
    const hooks::HookPlan plan{.rules = {}, .own = {{"my hook", hookText("", toHalf, fromHalf)}}};
    const std::string text = hooks::pythonText({.plan = plan, .hookOf = {{"sin", "my hook"}}});
    CHECK(text.find("def pack_my_hook(x):\n    to") != std::string::npos);
    CHECK(text.find("def unpack_my_hook(packed):\n") != std::string::npos);
    CHECK(text.find("    \"sin\": \"my hook\",\n") != std::string::npos);
    CHECK(text.find("MODE = \"donated\"") != std::string::npos);
}
