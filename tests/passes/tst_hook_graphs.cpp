// Saved-tensors hooks inlined into small graphs, as text.
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/inline_hooks.h"

#include <doctest/doctest.h>

#include <regex>
#include <string>

using namespace aotscope;
using passes::HookFilter;

namespace {

ir::GraphPtr graphOf(const std::string& body) {
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n" + body);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

/// The graph's text without its class, descriptors, and the notes that a value is no longer used.
std::string textOf(const ir::Graph& graph) {
    std::string text = ir::printGraph(graph).text;
    text.erase(0, text.find('\n') + 1);
    text = std::regex_replace(text, std::regex(";  [^\n]* = None\n|  #[^\n]*\n| +\n"), "\n");
    text = std::regex_replace(text, std::regex("\\(\n +"), "(");
    text = std::regex_replace(text, std::regex(",\n +(\\))?"), ", $1");
    return std::regex_replace(text, std::regex(", \\)"), ")");
}

/// z = cos(x @ w): the default partition saves x, which is an input, and mm, which only the backward needs.
passes::Partition split() {
    passes::PartitionOptions options;
    options.partitioner = passes::Partitioner::Default;
    auto partition = passes::partitionJointGraph(graphOf(R"(
    def forward(self, primals_1: "f32[4, 8][8, 1]cpu", primals_2: "f32[8, 4][4, 1]cpu", tangents_1: "f32[4, 4][4, 1]cpu"):
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_1, primals_2)
        cos: "f32[4, 4][4, 1]cpu" = torch.ops.aten.cos.default(mm)
        sin: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sin.default(mm)
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, sin)
        t: "f32[8, 4][1, 8]cpu" = torch.ops.aten.t.default(primals_1)
        mm_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(t, mul)
        return (cos, None, mm_1)
)"),
                                                 options);
    REQUIRE_MESSAGE(partition.ok(), (partition.ok() ? "" : partition.error().text()));
    return *std::move(partition);
}

/// Inlines the same hooks for each saved tensor that the filter leaves.
base::Result<passes::Partition> inlined(const std::string& pack, const std::string& unpack,
                                        HookFilter filter = HookFilter::Donated,
                                        const std::vector<std::size_t>& staticInputs = {}) {
    return passes::inlineHooks(
        split(), filter, staticInputs,
        [&](const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
            return passes::InlinedHook{forward.node(saved).name, graphOf(pack), graphOf(unpack)};
        });
}

passes::Partition made(base::Result<passes::Partition> partition) {
    REQUIRE_MESSAGE(partition.ok(), (partition.ok() ? "" : partition.error().text()));
    return *std::move(partition);
}

constexpr const char* toHalf = R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        to: "bf16[4, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(x, dtype = torch.bfloat16)
        return (to,)
)";
constexpr const char* fromHalf = R"(
    def forward(self, packed: "bf16[4, 4][4, 1]cpu"):
        back: "f32[4, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(packed, dtype = torch.float32)
        return (back,)
)";

} // namespace

TEST_CASE("the forward packs what only the backward needs, and the backward unpacks it first") {
    const passes::Partition partition = made(inlined(toHalf, fromHalf));
    CHECK(textOf(*partition.forward) ==
          R"(    def forward(self, primals_1: "f32[4, 8][8, 1]cpu", primals_2: "f32[8, 4][4, 1]cpu"):
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(primals_1, primals_2)
        cos: "f32[4, 4][4, 1]cpu" = torch.ops.aten.cos.default(mm)
        mm_hook_0: "bf16[4, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(mm, dtype = torch.bfloat16)
        return (cos, primals_1, mm_hook_0)
)");
    CHECK(
        textOf(*partition.backward) ==
        R"(    def forward(self, primals_1: "f32[4, 8][8, 1]cpu", mm_hook_0: "bf16[4, 4][4, 1]cpu", tangents_1: "f32[4, 4][4, 1]cpu"):
        back: "f32[4, 4][4, 1]cpu" = torch.ops.aten._to_copy.default(mm_hook_0, dtype = torch.float32)
        sin: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sin.default(back)
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(tangents_1, sin)
        t: "f32[8, 4][1, 8]cpu" = torch.ops.aten.t.default(primals_1)
        mm_1: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(t, mul)
        return (None, mm_1)
)");
    CHECK(partition.savedTensors == std::vector<std::string>{"primals_1", "mm_hook_0"});
    CHECK(textOf(*partition.forwardBeforeHooks) == textOf(*split().forward));
    CHECK(textOf(*partition.backwardBeforeHooks) == textOf(*split().backward));
}

TEST_CASE("the filter leaves out inputs of the forward, static inputs alone, or nothing") {
    const auto hooked = [](HookFilter filter, const std::vector<std::size_t>& staticInputs) {
        std::vector<std::string> names;
        for (const passes::InlinedHook& hook : made(inlined(toHalf, fromHalf, filter, staticInputs)).hooks) {
            names.push_back(hook.saved);
        }
        return names;
    };
    using Names = std::vector<std::string>;
    CHECK(hooked(HookFilter::Donated, {}) == Names{"mm"});
    CHECK(hooked(HookFilter::NoStatic, {}) == Names{"primals_1", "mm"});
    CHECK(hooked(HookFilter::NoStatic, {0}) == Names{"mm"});
    CHECK(hooked(HookFilter::All, {0}) == Names{"primals_1", "mm"});
}

TEST_CASE("constants of a packed value are written into the backward, and its tensors are saved by place") {
    const passes::Partition partition = made(inlined(R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        scale: "f32[][]cpu" = torch.ops.aten.amax.default(x, [0, 1])
        div: "f32[4, 4][4, 1]cpu" = torch.ops.aten.div.Tensor(x, scale)
        return (3, scale, div)
)",
                                                     R"(
    def forward(self, power, scale: "f32[][]cpu", div: "f32[4, 4][4, 1]cpu"):
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(div, scale)
        pow: "f32[4, 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(mul, power)
        return (pow,)
)"));
    CHECK(partition.savedTensors == std::vector<std::string>{"primals_1", "mm_hook_1", "mm_hook_2"});
    const std::string backward = textOf(*partition.backward);
    // The name "mul" is taken in the backward.
    const std::string unpacked =
        R"(mul_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(mm_hook_2, mm_hook_1)
        pow_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(mul_1, 3)
        sin: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sin.default(pow_1)
)";
    CHECK_MESSAGE(backward.find(unpacked) != std::string::npos, backward);
}

TEST_CASE("a tensor that a hook returns as it is gets the name of a packed one") {
    const passes::Partition partition = made(inlined(R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        return (x,)
)",
                                                     R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        neg: "f32[4, 4][4, 1]cpu" = torch.ops.aten.neg.default(x)
        return (neg,)
)"));
    CHECK(textOf(*partition.forward).find("mm_hook_0: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.mm.default") !=
          std::string::npos);
    const std::string backward = textOf(*partition.backward);
    CHECK_MESSAGE(backward.find("torch.ops.aten.neg.default(mm_hook_0)") != std::string::npos, backward);
    CHECK_MESSAGE(backward.find("torch.ops.aten.sin.default(neg)") != std::string::npos, backward);
}

TEST_CASE("hooks that do not fit together are refused with the saved tensor's name") {
    const auto refused = [](const std::string& pack, const std::string& unpack, const char* words) {
        const auto partition = inlined(pack, unpack);
        REQUIRE_FALSE(partition.ok());
        CHECK(partition.error().code == "passes.hook");
        CHECK(partition.error().place.node == "mm");
        CHECK_MESSAGE(partition.error().message.find(words) != std::string::npos, partition.error().message);
    };
    const std::string twoTensors = R"(
    def forward(self, a: "bf16[4, 4][4, 1]cpu", b: "bf16[4, 4][4, 1]cpu"):
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(a, b)
        return (add,)
)";
    refused(toHalf, twoTensors, "takes more values than the pack hook returns");
    refused(toHalf, R"(
    def forward(self):
        zeros: "f32[4, 4][4, 1]cpu" = torch.ops.aten.zeros.default([4, 4])
        return (zeros,)
)",
            "takes fewer values than the pack hook returns");
    refused(twoTensors, fromHalf, "takes more than the tensor");
    refused(R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        neg: "f32[4, 4][4, 1]cpu" = torch.ops.aten.neg.default(x)
        return (neg, neg)
)",
            twoTensors, "returns one value twice");
    refused(R"(
    def forward(self, x: "f32[4, 4][4, 1]cpu"):
        scale: "f32[][]cpu" = self.scale
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(x, scale)
        return (mul,)
)",
            fromHalf, "reads the attribute scale");
}
