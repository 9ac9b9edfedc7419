#include "ops_check.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;

namespace {

test::OpsRun runText(const std::string& parameters, const std::string& body,
                     const ir::SymbolBindings& symbols = {}) {
    const auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, " +
                                          parameters + "):\n" + body);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return test::runOps(**graph, {}, 1, symbols);
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a function that is not known is named with its argument types and its place") {
    const test::OpsRun run = runText(
        "L_x_: \"f32[2, 3][3, 1]cpu\"",
        "        l_x_ = L_x_\n\n"
        "        # File: /a/model.py:7 in forward, code: return helper(x, 2)\n"
        "        y: \"f32[2, 3][3, 1]cpu\" = torch.mystery.helper(l_x_, 2, flag = True);  l_x_ = None\n"
        "        return (y,)\n");
    CHECK(contains(run.error, "torch.mystery.helper"));
    CHECK(contains(run.error, "(Tensor, int, flag=bool)"));
    CHECK(contains(run.error, "/a/model.py:7"));
    CHECK(contains(run.error, "node y"));
    CHECK(contains(run.error, "coverage"));
}

TEST_CASE("a call that fits no overload lists those tried") {
    const test::OpsRun run =
        runText("L_x_: \"f32[2, 3][3, 1]cpu\"",
                "        l_x_ = L_x_\n"
                "        y: \"f32[2, 3][3, 1]cpu\" = torch.add(l_x_, 'two');  l_x_ = None\n"
                "        return (y,)\n");
    CHECK(contains(run.error, "torch.add has no overload for (Tensor, str)"));
    CHECK(contains(run.error, "add(Tensor input, Tensor other, *, Scalar alpha=1)"));
}

TEST_CASE("what a graph sets is put back when the graph fails half way") {
    const test::OpsRun run =
        runText("L_x_: \"f32[2, 3][3, 1]cpu\"",
                "        l_x_ = L_x_\n"
                "        _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None\n"
                "        _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, "
                "True, None)\n"
                "        y: \"f32[3, 3][3, 1]cpu\" = l_x_.mm(l_x_);  l_x_ = None\n"
                "        return (y,)\n");
    CHECK(contains(run.error, "node y"));
    CHECK(run.stateRestored);
    // Autocast was on when the call was made.
    REQUIRE(!run.calls.empty());
    CHECK(run.calls.back().op == "aten.mm.default");
}

TEST_CASE("sizes flow through Python's operators into calls") {
    const test::OpsRun run =
        runText("s0: \"Sym(s0)\", L_x_: \"f32[s0, 4][4, 1]cpu\"",
                "        l_x_ = L_x_\n"
                "        size = l_x_.size(0)\n"
                "        floordiv: \"Sym((s0//2))\" = size // 2;  size = None\n"
                "        mul: \"Sym(8*((s0//2)))\" = floordiv * 8;  floordiv = None\n"
                "        y: \"f32[8*((s0//2))][1]cpu\" = l_x_.view(mul);  l_x_ = mul = None\n"
                "        return (y,)\n",
                {{"s0", 6}});
    CHECK(run.error == "");
    REQUIRE(run.outputs.size() == 1);
    CHECK(run.outputs[0].shape == std::vector<std::int64_t>{24});
}

TEST_CASE("sequences, slices and attributes are Python's") {
    const test::OpsRun run =
        runText("L_x_: \"f32[4, 6][6, 1]cpu\"",
                "        l_x_ = L_x_\n"
                "        chunk = l_x_.chunk(3, dim = 1)\n"
                "        last: \"f32[4, 2][6, 1]cpu\" = chunk[-1];  chunk = None\n"
                "        max_1 = l_x_.max(dim = 1)\n"
                "        values: \"f32[4][1]cpu\" = max_1.values;  max_1 = None\n"
                "        shape = l_x_.shape;  l_x_ = None\n"
                "        columns = shape[1];  shape = None\n"
                "        y: \"f32[4, 2][2, 1]cpu\" = last * columns;  last = columns = None\n"
                "        return (y, values)\n");
    CHECK(run.error == "");
    REQUIRE(run.outputs.size() == 2);
    CHECK(run.outputs[0].shape == std::vector<std::int64_t>{4, 2});
    CHECK(run.outputs[1].shape == std::vector<std::int64_t>{4});
}

TEST_CASE("every node class of autograd is a function, and calls make its backward's calls") {
    static constexpr const char* classes[] = {
#define AOTSCOPE_AUTOGRAD_NODE(name) #name,
#include "autograd_node_list.inc"
#undef AOTSCOPE_AUTOGRAD_NODE
        "AccumulateGrad", "torch::autograd::CopyBackwards", "validate_outputs"};
    CHECK(std::size(classes) > 600);
    for (const std::string name : classes) {
        CHECK_MESSAGE(test::opsCoverageOf("torch._dynamo.compiled_autograd.ops." + name) == "written", name);
    }
    CHECK(test::opsCoverageOf("torch._dynamo.compiled_autograd.ops.CppNodeMine0") != "written");
    const test::OpsRun run = runText(
        "L_g_: \"f32[2, 3][3, 1]cpu\", L_x_: \"f32[2, 3][3, 1]cpu\"",
        "        l_g_ = L_g_\n"
        "        l_x_ = L_x_\n"
        "        sin_backward0 = torch__dynamo_compiled_autograd_ops_SinBackward0([l_g_], [True], l_x_);  "
        "l_x_ = "
        "None\n"
        "        getitem: \"f32[2, 3][3, 1]cpu\" = sin_backward0[0];  sin_backward0 = None\n"
        "        validate_outputs = torch__dynamo_compiled_autograd_ops_validate_outputs([getitem, None], "
        "[((None, None, device(type='cpu'), 6, 0, None), [3], False, 6), None]);  getitem = None\n"
        "        getitem_1: \"f32[3][1]cpu\" = validate_outputs[0];  validate_outputs = None\n"
        "        return (getitem_1,)\n");
    CHECK(run.error == "");
    REQUIRE(run.outputs.size() == 1);
    CHECK(run.outputs[0].shape == std::vector<std::int64_t>{3});
    REQUIRE(run.calls.size() >= 3);
    CHECK(run.calls[0].op == "aten.cos.default");
    CHECK(run.calls[1].op == "aten.mul.Tensor");
    CHECK(std::any_of(run.calls.begin(), run.calls.end(),
                      [](const test::RecordedCall& call) { return call.op == "aten.sum.dim_IntList"; }));
}
