// Saved-tensors hooks as a stage, and as programs that can be traced.
#include "aot/compile.h"
#include "aot/saved_tensors_hooks.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace aotscope;
using aot::StageKind;

namespace {

ir::GraphPtr hookGraph(const std::string& body) {
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n" + body);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

std::string bodyText(const ir::Graph& graph) {
    const std::string text = ir::printGraph(graph).text;
    return text.substr(text.find('\n'));
}

/// y = cos(sin(x)): the default partition saves sin(x).
aot::CompiledFunction tracedCosine() {
    aot::CompiledFunction function;
    function.path = aot::TracePath::Autograd;
    function.joint = true;
    function.graph = hookGraph(R"(
    def forward(self, primals_1: "f32[4][1]cpu", tangents_1: "f32[4][1]cpu"):
        sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(primals_1)
        cos: "f32[4][1]cpu" = torch.ops.aten.cos.default(sin)
        sin_1: "f32[4][1]cpu" = torch.ops.aten.sin.default(sin)
        mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, sin_1)
        return (cos, mul)
)");
    return function;
}

/// The stages after the trace with hooks for every saved tensor.
aot::CompileChoices choicesWith(const ir::GraphPtr& pack, const ir::GraphPtr& unpack) {
    aot::CompileChoices choices;
    choices.partition.emplace().partitioner = passes::Partitioner::Default;
    choices.hooks = {
        passes::HookFilter::All,
        [pack, unpack](const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
            return passes::InlinedHook{forward.node(saved).name, pack, unpack};
        }};
    choices.verify = true;
    return choices;
}

/// The partition before and behind each stage, by stage; without the second where a stage was left out.
using SeenPartitions = std::map<StageKind, std::vector<std::shared_ptr<const passes::Partition>>>;
aot::Observer notedIn(SeenPartitions& seen) {
    return [&seen](const aot::Action& action) {
        seen[action.stage].push_back((action.after == nullptr ? action.before : *action.after).partition);
        return aot::Answer::GoOn;
    };
}

ir::GraphPtr toHalf() {
    return hookGraph(R"(
    def forward(self, x: "f32[4][1]cpu"):
        to: "bf16[4][1]cpu" = torch.ops.aten._to_copy.default(x, dtype = torch.bfloat16)
        return (to,)
)");
}

ir::GraphPtr fromHalf() {
    return hookGraph(R"(
    def forward(self, x: "bf16[4][1]cpu"):
        to: "f32[4][1]cpu" = torch.ops.aten._to_copy.default(x, dtype = torch.float32)
        return (to,)
)");
}

} // namespace

TEST_CASE("hooks are inlined between the partition and the wrappers") {
    SeenPartitions seen;
    const auto made = aot::compile(tracedCosine(), choicesWith(toHalf(), fromHalf()), {}, notedIn(seen));
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    REQUIRE(seen.size() == 3);
    CHECK(seen.contains(StageKind::Partition));
    CHECK(seen.contains(StageKind::PostCompileWrappers));
    const auto& hooks = seen.at(StageKind::SavedTensorsHooks);
    REQUIRE(hooks.size() == 2);
    CHECK(hooks[0]->savedTensors == std::vector<std::string>{"sin"});
    CHECK(hooks[1]->savedTensors == std::vector<std::string>{"sin_hook_0"});
    CHECK(hooks[1]->forwardBeforeHooks == hooks[0]->forward);
    CHECK(hooks[1] == made->partition);
}

TEST_CASE("a joint graph is split and its wrappers listed, and what has none is complete") {
    aot::CompileChoices choices;
    choices.partition.emplace().partitioner = passes::Partitioner::Default;
    SeenPartitions seen;
    const auto split = aot::compile(tracedCosine(), choices, {}, notedIn(seen));
    REQUIRE_MESSAGE(split.ok(), (split.ok() ? "" : split.error().text()));
    CHECK(seen.size() == 2);
    CHECK(split->partition->savedTensors == std::vector<std::string>{"sin"});
    CHECK(aot::findWrapper<aot::RuntimeWrapper>(split->wrappers) != nullptr);
    aot::CompiledFunction inference = tracedCosine();
    inference.joint = false;
    SeenPartitions nothing;
    const auto same = aot::compile(inference, choices, {}, notedIn(nothing));
    REQUIRE(same.ok());
    CHECK(same->partition == nullptr);
    CHECK(same->wrappers.empty());
    CHECK(nothing.empty());
}

TEST_CASE("a function that is split already keeps its halves, and hooks are inlined into them") {
    aot::CompileChoices choices = choicesWith(toHalf(), fromHalf());
    choices.until = StageKind::Partition;
    const auto split = aot::compile(tracedCosine(), choices);
    REQUIRE_MESSAGE(split.ok(), (split.ok() ? "" : split.error().text()));
    CHECK(split->partition->hooks.empty());
    choices.until = StageKind::PostCompileWrappers;
    SeenPartitions seen;
    const auto made = aot::compile(*split, choices, {}, notedIn(seen));
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    CHECK_FALSE(seen.contains(StageKind::Partition));
    CHECK(made->partition->forwardBeforeHooks == split->partition->forward);
}

TEST_CASE("the hooks of a program are inlined where its configuration says") {
    aot::CompiledFunction function = tracedCosine();
    CHECK_FALSE(aot::hookInlining(function, {}).has_value());
    ir::GraphBuilder program(*toHalf());
    program.addSubgraph("saved_tensors_hooks_pack_0", toHalf());
    program.addSubgraph("saved_tensors_hooks_unpack_0", fromHalf());
    function.program = program.finish();
    for (const char* mode : {"donated", "no_static", "all"}) {
        function.configuration.functorch.savedTensorsHooksFilteringMode = mode;
        const auto inlining = aot::hookInlining(function, {});
        REQUIRE(inlining.has_value());
        CHECK(base::wordOf(inlining->filter) == mode);
    }
}

TEST_CASE("hooks that an observer leaves out are not inlined") {
    std::size_t actions = 0;
    const auto skip = [&](const aot::Action& action) {
        const bool isHooks = action.stage == StageKind::SavedTensorsHooks;
        actions += isHooks ? 1 : 0;
        return isHooks ? aot::Answer::Skip : aot::Answer::GoOn;
    };
    const auto made = aot::compile(tracedCosine(), choicesWith(toHalf(), fromHalf()), {}, skip);
    REQUIRE(made.ok());
    // Nothing is after a stage that does not run.
    CHECK(actions == 1);
    CHECK(made->partition->hooks.empty());
    CHECK(aot::findWrapper<aot::RuntimeWrapper>(made->wrappers) != nullptr);
}

TEST_CASE("a half that chosen hooks break is caught behind them") {
    aot::CompileChoices choices = choicesWith(toHalf(), fromHalf());
    choices.chosenHooks = [](const aot::CompiledFunction& function) -> base::Result<passes::Partition> {
        passes::Partition partition = *function.partition;
        ir::GraphBuilder forward(*partition.forward);
        forward.moveBefore(forward.order()[1], forward.order()[0]);
        partition.forward = forward.finish();
        partition.hooks = {{"sin", toHalf(), fromHalf()}};
        return partition;
    };
    const auto caught = aot::compile(tracedCosine(), choices);
    REQUIRE_FALSE(caught.ok());
    CHECK(caught.error().code == "aot.broken_graph");
    CHECK_MESSAGE(caught.error().message.find("\"saved-tensors hooks\" made a broken forward") !=
                      std::string::npos,
                  caught.error().message);
}

TEST_CASE("a joint graph that breaks a rule is an error of its file, at the node") {
    aot::CompiledFunction function = tracedCosine();
    function.graph = hookGraph(R"(
    def forward(self, primals_1: "f32[4][1]cpu", tangents_1: "f32[2, 2][2, 1]cpu"):
        sin: "f32[4][1]cpu" = torch.ops.aten.sin.default(primals_1)
        view: "f64[2, 2][2, 1]cpu" = torch.ops.aten.view.default(sin, [2, 2])
        view_1: "f32[4][1]cpu" = torch.ops.aten.view.default(tangents_1, [4])
        mul: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(view_1, sin)
        return (view, mul)
)");
    const auto caught = aot::compile(std::move(function), choicesWith(toHalf(), fromHalf()));
    REQUIRE_FALSE(caught.ok());
    CHECK(caught.error().code == "aot.invalid_joint");
    CHECK(caught.error().place.node == "view");
    CHECK(caught.error().hint.find("bug in aotscope") == std::string::npos);
}

TEST_CASE("a pack hook is traced for a tensor, and its graph is what PyTorch prints") {
    const ir::GraphPtr hook = hookGraph(R"(
    def forward(self, x):
        size = x.size(0)
        to = x.to(torch.bfloat16)
        getattr_1 = x.dtype;  x = None
        return (getattr_1, {'rows': size, 'kept': [to, 7]})
)");
    const ir::GraphPtr tensor = hookGraph(R"(
    def forward(self, x: "f32[s0, 4][4, 1]cpu"):
        return (x,)
)");
    const ir::GraphPtr program = aot::packProgram(*hook, tensor->node(tensor->placeholders().front()).value);
    CHECK(bodyText(*program) == R"(
    def forward(self, x: "f32[s0, 4][4, 1]cpu"):
        size = x.size(0)
        to = x.to(torch.bfloat16)
        getattr_1 = x.dtype;  x = None
        return (getattr_1, {'rows': size, 'kept': [to, 7]})
)");
}

namespace {

/// A traced pack hook.
ir::GraphPtr tracedPack() {
    return aot::packGraph(*hookGraph(R"text(
    def forward(self, arg0_1: "f32[s0, 4][4, 1]cpu"):
        sym_size_int: "Sym(s0)" = torch.ops.aten.sym_size.int(arg0_1, 0)
        _to_copy: "bf16[s0, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(arg0_1, dtype = torch.bfloat16);  arg0_1 = None
        return (torch.float32, {'rows': sym_size_int, 'kept': [_to_copy, 7]})
)text"),
                          false);
}

} // namespace

TEST_CASE("an unpack hook is called with what the pack hook returns, constants in their places") {
    const ir::GraphPtr hook = hookGraph(R"(
    def forward(self, p):
        getitem = p[0];  p = None
        return getitem
)");
    CHECK(bodyText(*aot::unpackProgram(hook, *tracedPack())).starts_with(R"text(
    def forward(self, packed_0: "Sym(s0)", packed_1: "bf16[s0, 4][4, 1]cpu"):
        unpack = self.unpack_hook((torch.float32, {'rows': packed_0, 'kept': [packed_1, 7]}))text"));

    SUBCASE("a graph that takes its argument apart gets the leaves") {
        const ir::GraphPtr flat = hookGraph(R"text(
    def forward(self, p):
        p_1, p_2, p_3, p_4, = fx_pytree.tree_flatten_spec([p], self._in_spec)
        return pytree.tree_unflatten([p_3], self._out_spec)
)text");
        CHECK(bodyText(*aot::unpackProgram(flat, *tracedPack()))
                  .find("self.unpack_hook(torch.float32, packed_0, packed_1, 7)") != std::string::npos);
    }
}

TEST_CASE("a traced unpack hook takes every packed value, as PyTorch prints it") {
    const ir::GraphPtr traced = hookGraph(R"text(
    def forward(self, arg0_1: "Sym(s0)", arg1_1: "bf16[s0, 4][4, 1]cpu"):
        _to_copy: "f32[s0, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(arg1_1, dtype = torch.float32);  arg1_1 = None
        return _to_copy
)text");
    CHECK(ir::printGraph(*aot::unpackGraph(*traced, *tracedPack(), false)).text ==
          R"text(class <lambda>(torch.nn.Module):
    def forward(
        self,
        arg0,
    ):
        arg0_2: "Sym(s0)"
        arg0_3: "bf16[s0, 4][4, 1]cpu"
        arg0_1, arg0_2, arg0_3, arg0_4, = fx_pytree.tree_flatten_spec([arg0], self._in_spec)
        _to_copy: "f32[s0, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(arg0_3, dtype = torch.float32);  arg0_3 = None
        return pytree.tree_unflatten([_to_copy], self._out_spec)
)text");
}
