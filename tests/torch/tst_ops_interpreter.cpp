#include "ops_check.h"

#include "ir/text_parser.h"

#include <doctest/doctest.h>

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
