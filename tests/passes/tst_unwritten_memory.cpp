// Which values of a graph are memory that nothing has written, or come from it. The graphs are what PyTorch
// makes of torch.empty; what its operators write is what their documentation says.
#include "passes/unwritten_memory.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;

namespace {

/// The names of these values, in program order.
std::string unwritten(const std::string& body) {
    const auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, "
                                          "x: \"f32[4, 3][3, 1]\", row: \"f32[3][1]\"):" +
                                          body + "        return (x,)\n");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    const std::vector<bool> values = passes::unwrittenValues(**graph);
    std::string names;
    for (const ir::NodeId id : (*graph)->order()) {
        if (values[id.index()]) {
            names += (names.empty() ? "" : " ") + (*graph)->node(id).name;
        }
    }
    return names;
}

} // namespace

TEST_CASE(
    "what is computed from unwritten memory is as unwritten; its size and what only has its size is not") {
    const std::string made = unwritten(R"text(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        view: "f32[12][1]" = torch.ops.aten.view.default(empty, [12])
        clone: "f32[12][1]" = torch.ops.aten.clone.default(view)
        mul: "f32[4, 3][3, 1]" = torch.ops.aten.mul.Tensor(x, empty)
        split = torch.ops.aten.split.Tensor(mul, 2)
        getitem: "f32[2, 3][3, 1]" = split[0]
        sum_1: "f32[][]" = torch.ops.aten.sum.default(getitem)
        sym_size: "Sym(4)" = torch.ops.aten.sym_size.int(empty, 0)
        zeros_like: "f32[4, 3][3, 1]" = torch.ops.aten.zeros_like.default(empty)
        new_ones: "f32[5][1]" = torch.ops.aten.new_ones.default(empty, [5])
        add: "f32[4, 3][3, 1]" = torch.ops.aten.add.Tensor(x, zeros_like)
)text");
    CHECK(made == "empty view clone mul split getitem sum_1");
}

TEST_CASE("writing over all of it ends that, in place and as an operator of its own") {
    const std::string written = unwritten(R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        t: "f32[3, 4][1, 3]" = torch.ops.aten.t.default(empty)
        copy_: "f32[4, 3][3, 1]" = torch.ops.aten.copy_.default(empty, x)
        empty_1: "f32[4, 3][3, 1]" = torch.ops.aten.empty_like.default(x)
        view: "f32[12][1]" = torch.ops.aten.view.default(empty_1, [12])
        fill_: "f32[12][1]" = torch.ops.aten.fill_.Scalar(view, 2)
)");
    CHECK(written.empty());
    const std::string functional = unwritten(R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        copy: "f32[4, 3][3, 1]" = torch.ops.aten.copy.default(empty, x)
        fill: "f32[4, 3][3, 1]" = torch.ops.aten.fill.Scalar(empty, 2)
        normal: "f32[4, 3][3, 1]" = torch.ops.aten.normal_functional.default(empty)
        full_like: "f32[4, 3][3, 1]" = torch.ops.aten.full_like.default(empty, 1)
        scatter: "f32[4, 3][3, 1]" = torch.ops.aten.slice_scatter.default(empty, x, 0, 0, 9223372036854775807)
        add: "f32[4, 3][3, 1]" = torch.ops.aten.add.out(x, x, out = empty)
)");
    CHECK(functional.empty());
}

TEST_CASE("an operator that reads what it writes to, or writes to some of it, leaves it unwritten") {
    const std::string left = unwritten(R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        add_: "f32[4, 3][3, 1]" = torch.ops.aten.add_.Tensor(empty, x)
        fill: "f32[4, 3][3, 1]" = torch.ops.aten.fill.Tensor(x, row)
)");
    CHECK(left == "empty add_");
    // The piece itself is written, and what is made of it.
    const std::string pieces = unwritten(R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        select: "f32[3][1]" = torch.ops.aten.select.int(empty, 0, 1)
        copy_: "f32[3][1]" = torch.ops.aten.copy_.default(select, row)
        view: "f32[1, 3][3, 1]" = torch.ops.aten.view.default(select, [1, 3])
        exp: "f32[1, 3][3, 1]" = torch.ops.aten.exp.default(view)
        exp_1: "f32[4, 3][3, 1]" = torch.ops.aten.exp.default(empty)
        scatter: "f32[4, 3][3, 1]" = torch.ops.aten.select_scatter.default(exp_1, row, 0, 1)
)");
    CHECK(pieces == "empty exp_1 scatter");
}

TEST_CASE("an input into which unwritten memory was copied holds it") {
    const std::string input = unwritten(R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty.memory_format([4, 3])
        copy_: "f32[4, 3][3, 1]" = torch.ops.aten.copy_.default(x, empty)
)");
    CHECK(input == "x empty copy_");
}

TEST_CASE("memory without elements holds nothing that was not written") {
    const std::string none = unwritten(R"(
        empty: "f32[0, 3][3, 1]" = torch.ops.aten.empty.memory_format([0, 3])
        cat: "f32[4, 3][3, 1]" = torch.ops.aten.cat.default([empty, x])
)");
    CHECK(none.empty());
}

TEST_CASE("a random relu writes its noise in training alone, and only the backward reads it") {
    const std::string body = R"(
        empty: "f32[4, 3][3, 1]" = torch.ops.aten.empty_like.default(x)
        rrelu = torch.ops.aten.rrelu_with_noise_functional.default(x, empty, 0.125, 0.25, TRAINING)
        getitem: "f32[4, 3][3, 1]" = rrelu[0]
        getitem_1: "f32[4, 3][3, 1]" = rrelu[1]
)";
    const auto with = [&](const std::string& training) {
        return unwritten(std::string(body).replace(body.find("TRAINING"), 8, training));
    };
    CHECK(with("False") == "empty getitem_1");
    CHECK(with("True") == "empty");
}
