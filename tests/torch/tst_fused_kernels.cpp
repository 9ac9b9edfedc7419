// Fused kernels beside ATen: groups, tensors that do not lie in order, writes, random numbers, and graphs run
// with their kernels in place.
#include "kernel_check_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

using namespace aotscope;
using test::checkEqual;
using test::graphOf;
using test::kernelCheckOf;

TEST_CASE("a pack to float8 fuses into what it packs, and its unpack into what reads it") {
    const auto graph = graphOf("x: \"f32[16, 8][8, 1]\", w: \"f32[8][1]\"", R"(
        mul: "f32[16, 8][8, 1]" = torch.ops.aten.mul.Tensor(x, w)
        relu: "f32[16, 8][8, 1]" = torch.ops.aten.relu.default(mul)
        mul_1: "f32[16, 8][8, 1]" = torch.ops.aten.mul.Tensor(relu, 16.0)
        _to_copy: "f8e5m2[16, 8][8, 1]" = torch.ops.aten._to_copy.default(mul_1, dtype = torch.float8_e5m2)
        _to_copy_1: "f32[16, 8][8, 1]" = torch.ops.aten._to_copy.default(_to_copy, dtype = torch.float32)
        div: "f32[16, 8][8, 1]" = torch.ops.aten.div.Tensor(_to_copy_1, 16.0)
        sum_1: "f32[16][1]" = torch.ops.aten.sum.dim_IntList(div, [1])
        return (relu, _to_copy, sum_1)
)");
    const session::KernelCheck check = kernelCheckOf(graph);
    checkEqual(check);
    REQUIRE(check.kernels.size() == 1);
    CHECK(check.counts.fused == 7);
}

TEST_CASE("inputs and results that do not lie in order are read and written where they lie") {
    const auto graph =
        graphOf("x: \"f32[4, 6][1, 4]\", y: \"f32[2, 3, 4, 5][60, 1, 15, 3]\", e: \"f32[4, 6][6, 0]\"", R"(
        neg: "f32[4, 6][1, 4]" = torch.ops.aten.neg.default(x)
        add: "f32[4, 6][1, 4]" = torch.ops.aten.add.Tensor(neg, e)
        clone: "f32[4, 6][6, 1]" = torch.ops.aten.clone.default(add, memory_format = torch.contiguous_format)
        sum_1: "f32[4][1]" = torch.ops.aten.sum.dim_IntList(x, [1])
        exp: "f32[2, 3, 4, 5][60, 1, 15, 3]" = torch.ops.aten.exp.default(y)
        sum_2: "f32[2, 3][3, 1]" = torch.ops.aten.sum.dim_IntList(exp, [2, 3])
        permute: "f32[2, 4, 5, 3][60, 15, 3, 1]" = torch.ops.aten.permute.default(exp, [0, 2, 3, 1])
        view: "f32[40, 3][3, 1]" = torch.ops.aten.view.default(permute, [40, 3])
        mul: "f32[40, 3][3, 1]" = torch.ops.aten.mul.Tensor(view, 2)
        return (add, clone, sum_1, exp, sum_2, mul)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("pieces, slices and repetitions of a group's values are found") {
    const auto graph = graphOf("x: \"f32[4, 12][12, 1]\", y: \"f32[4, 4][4, 1]\"", R"(
        exp: "f32[4, 12][12, 1]" = torch.ops.aten.exp.default(x)
        split = torch.ops.aten.split.Tensor(exp, 4, 1)
        getitem: "f32[4, 4][12, 1]" = split[0]
        getitem_1: "f32[4, 4][12, 1]" = split[2]
        add: "f32[4, 4][4, 1]" = torch.ops.aten.add.Tensor(getitem_1, y)
        mul: "f32[4, 4][4, 1]" = torch.ops.aten.mul.Tensor(add, getitem)
        select: "f32[4][4]" = torch.ops.aten.select.int(mul, 1, -1)
        unsqueeze: "f32[4, 1][4, 1]" = torch.ops.aten.unsqueeze.default(select, 1)
        expand: "f32[4, 3][4, 0]" = torch.ops.aten.expand.default(unsqueeze, [4, 3])
        add_1: "f32[4, 3][3, 1]" = torch.ops.aten.add.Tensor(expand, 1)
        repeat: "f32[8, 3][3, 1]" = torch.ops.aten.repeat.default(add_1, [2, 1])
        return (mul, repeat)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("a graph that writes to its input leaves the same in it with kernels and without") {
    const auto graph = graphOf("x: \"f32[6][1]\"", R"(
        mul: "f32[6][1]" = torch.ops.aten.mul.Tensor(x, 3)
        add: "f32[6][1]" = torch.ops.aten.add.Tensor(mul, 1)
        copy_: "f32[6][1]" = torch.ops.aten.copy_.default(x, add)
        neg: "f32[6][1]" = torch.ops.aten.neg.default(x)
        return (neg,)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("kernels have random numbers of the graph's seed, as the run has") {
    const auto graph = graphOf("seed: \"i64[][]\", offset: \"i64[][]\", x: \"f32[5, 7][7, 1]\"", R"(
        philox_rand = torch.ops.rngprims.philox_rand.default([5, 7], seed, offset, None, device(type='cuda', index=0), torch.float32)
        getitem: "f32[5, 7][7, 1]" = philox_rand[0]
        getitem_1: "i64[][]" = philox_rand[1]
        lt: "b8[5, 7][7, 1]" = torch.ops.aten.lt.Scalar(getitem, 0.5)
        mul: "f32[5, 7][7, 1]" = torch.ops.aten.mul.Tensor(x, lt)
        add: "i64[][]" = torch.ops.aten.add.Tensor(offset, getitem_1)
        return (mul, add)
)");
    const session::KernelCheck check = kernelCheckOf(graph);
    CHECK(check.agrees());
    CHECK(check.counts.share() == 1);
}

TEST_CASE("run with --fused gives what the run without gives") {
    const auto graph = graphOf("x: \"f32[8, 16][16, 1]\", w: \"f32[16, 16][16, 1]\"", R"(
        _softmax: "f32[8, 16][16, 1]" = torch.ops.aten._softmax.default(x, 1, False)
        mm: "f32[8, 16][16, 1]" = torch.ops.aten.mm.default(_softmax, w)
        mul: "f32[8, 16][16, 1]" = torch.ops.aten.mul.Tensor(mm, 2)
        relu: "f32[8, 16][16, 1]" = torch.ops.aten.relu.default(mul)
        return (relu,)
)");
    session::RunOptions options;
    options.keepOutputs = true;
    const auto plain = test::backend().answer(session::RunCall{graph, options});
    options.fused = true;
    const auto fused = test::backend().answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(plain.ok(), plain.error().text());
    REQUIRE_MESSAGE(fused.ok(), fused.error().text());
    REQUIRE(fused->outputs.size() == 1);
    const auto numbers = [](const session::RunSnapshot& run) {
        std::vector<float> values(128);
        std::memcpy(values.data(), run.outputs[0].bytes.data(), 128 * sizeof(float));
        return values;
    };
    const std::vector<float> expected = numbers(*plain);
    const std::vector<float> made = numbers(*fused);
    for (std::size_t i = 0; i < 128; ++i) {
        CHECK(std::abs(expected[i] - made[i]) < 1e-6F);
    }
    // mul has no value in memory: it is inside of the kernel that computes relu.
    const auto ran = [&](std::string_view name) {
        return std::ranges::any_of(
            fused->nodes, [&](const session::NodeRun& run) { return graph->node(run.node).name == name; });
    };
    CHECK(ran("relu"));
    CHECK_FALSE(ran("mul"));
    options.keepValues = {"mul"};
    const auto inside = test::backend().answer(session::RunCall{graph, options});
    REQUIRE_FALSE(inside.ok());
    CHECK(inside.error().code == "kernels.inside");
}

TEST_CASE("a number that was read from a tensor is the run's, not the one of the trace") {
    const auto graph = graphOf("x: \"f32[4][1]\", y: \"f64[][]\"", R"text(
        item: "Sym(3.50000000000000)" = torch.ops.aten._local_scalar_dense.default(y)
        mul: "f32[4][1]" = torch.ops.aten.mul.Tensor(x, item)
        relu: "f32[4][1]" = torch.ops.aten.relu.default(mul)
        exp: "f32[4][1]" = torch.ops.aten.exp.default(relu)
        return (exp,)
)text");
    const session::KernelCheck check = kernelCheckOf(graph);
    checkEqual(check);
    // The product is left to ATen; what follows it is one kernel.
    REQUIRE(check.kernels.size() == 1);
    CHECK(check.counts.fused == 2);
}

TEST_CASE(
    "memory that nothing wrote is the same in all runs of a check, also where other values depend on it") {
    const auto graph = graphOf("x: \"f32[64][1]\"", R"(
        empty_like: "f32[64][1]" = torch.ops.aten.empty_like.default(x)
        empty_like_1: "f32[64][1]" = torch.ops.aten.empty_like.default(x)
        copy_: "f32[64][1]" = torch.ops.aten.copy_.default(empty_like_1, x)
        exp: "f32[64][1]" = torch.ops.aten.exp.default(copy_)
        return (empty_like, empty_like_1, exp)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("what reads a gradient of a normalization's weights is another kernel than the input's gradient") {
    // One row: the gradients have as many elements as the input.
    const auto graph =
        graphOf("g: \"f32[1, 1, 8][8, 8, 1]\", x: \"f32[1, 1, 8][8, 8, 1]\", m: \"f32[1, 1, 1][1, 1, 1]\", "
                "r: \"f32[1, 1, 1][1, 1, 1]\", w: \"f32[8][1]\", b: \"f32[8][1]\", old: \"f32[8][1]\"",
                R"(
        norm = torch.ops.aten.native_layer_norm_backward.default(g, x, [8], m, r, w, b, [True, True, True])
        getitem: "f32[1, 1, 8][8, 8, 1]" = norm[0]
        getitem_1: "f32[8][1]" = norm[1]
        getitem_2: "f32[8][1]" = norm[2]
        add: "f32[8][1]" = torch.ops.aten.add.Tensor(old, getitem_1)
        mul: "f32[8][1]" = torch.ops.aten.mul.Tensor(getitem_2, 2)
        neg: "f32[1, 1, 8][8, 8, 1]" = torch.ops.aten.neg.default(getitem)
        return (neg, add, mul)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("a kernel reads numbers whose signs change only when they are read") {
    const auto graph = graphOf("x: \"c64[3, 4][4, 1]\"", R"(
        _conj: "c64[3, 4][4, 1]" = torch.ops.aten._conj.default(x)
        view_as_real: "f32[3, 4, 2][8, 2, 1]" = torch.ops.aten.view_as_real.default(x)
        _neg_view: "f32[3, 4, 2][8, 2, 1]" = torch.ops.aten._neg_view.default(view_as_real)
        select: "f32[3, 4][8, 2]" = torch.ops.aten.select.int(_neg_view, 2, 1)
        mul: "f32[3, 4][4, 1]" = torch.ops.aten.mul.Tensor(select, 2)
        return (mul, select)
)");
    checkEqual(kernelCheckOf(graph));
}

TEST_CASE("what a group's own normalization found is there for the gradients that ATen computes") {
    const auto graph = graphOf("x: \"f32[2, 4, 5, 5][100, 25, 5, 1]\", w: \"f32[4][1]\", b: \"f32[4][1]\", "
                               "g: \"f32[2, 4, 5, 5][100, 25, 5, 1]\"",
                               R"(
        norm = torch.ops.aten.native_group_norm.default(x, w, b, 2, 4, 25, 2, 1e-05)
        getitem: "f32[2, 4, 5, 5][100, 25, 5, 1]" = norm[0]
        getitem_1: "f32[2, 2][2, 1]" = norm[1]
        getitem_2: "f32[2, 2][2, 1]" = norm[2]
        relu: "f32[2, 4, 5, 5][100, 25, 5, 1]" = torch.ops.aten.relu.default(getitem)
        grad: "f32[2, 4, 5, 5][100, 25, 5, 1]" = torch.ops.aten.threshold_backward.default(g, relu, 0)
        mean: "f32[2, 2][2, 1]" = torch.ops.aten.detach.default(getitem_1)
        rstd: "f32[2, 2][2, 1]" = torch.ops.aten.detach.default(getitem_2)
        back = torch.ops.aten.native_group_norm_backward.default(grad, x, mean, rstd, w, 2, 4, 25, 2, [True, True, True])
        getitem_3: "f32[2, 4, 5, 5][100, 25, 5, 1]" = back[0]
        getitem_4: "f32[4][1]" = back[1]
        getitem_5: "f32[4][1]" = back[2]
        return (getitem_3, getitem_4, getitem_5)
)");
    const session::KernelCheck check = kernelCheckOf(graph);
    checkEqual(check);
    CHECK(check.kernels.size() == 1);
}

TEST_CASE("memory that nothing wrote is the same where an operator hands it on, or fills some of it") {
    // A random relu writes its noise in training alone.
    const auto graph = graphOf("x: \"f32[64][1]\"", R"(
        empty_like: "f32[64][1]" = torch.ops.aten.empty_like.default(x)
        rrelu = torch.ops.aten.rrelu_with_noise_functional.default(x, empty_like)
        getitem: "f32[64][1]" = rrelu[0]
        getitem_1: "f32[64][1]" = rrelu[1]
        view: "f32[8, 8][8, 1]" = torch.ops.aten.view.default(getitem_1, [8, 8])
        mul: "f32[64][1]" = torch.ops.aten.mul.Tensor(getitem, 2)
        new_empty: "f32[66][1]" = torch.ops.aten.new_empty.default(x, [66])
        slice_scatter: "f32[66][1]" = torch.ops.aten.slice_scatter.default(new_empty, x, 0, 1, 65)
        exp: "f32[66][1]" = torch.ops.aten.exp.default(slice_scatter)
        return (mul, view, exp)
)");
    const session::KernelCheck check = kernelCheckOf(graph);
    CHECK_MESSAGE(check.agrees(), check.wholeRun.difference);
}
