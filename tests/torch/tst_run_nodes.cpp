#include "run_support.h"

#include <algorithm>

using namespace aotscope;
using test::failed;
using test::floats;
using test::graphOf;
using test::integers;
using test::numbers;
using test::ran;

namespace {

bool says(const std::vector<std::string>& notes, std::string_view text) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

} // namespace

TEST_CASE("each node has its numbers") {
    const auto run = ran(graphOf("x: \"f32[2, 2]\"", R"(
        div: "f32[2, 2]" = torch.ops.aten.div.Tensor(x, 0)
        sum_1: "f32[]" = torch.ops.aten.sum.default(x)
        return (div, sum_1)
)"),
                         test::withInputs({{"x", floats({2, 2}, {-1, 0, 2, 3})}}));
    REQUIRE(run.nodes.size() == 3);
    const session::TensorSummary& x = run.nodes[0].outputs.at(0);
    CHECK(x.dtype == "float32");
    CHECK(x.shape == std::vector<std::int64_t>{2, 2});
    CHECK(x.stride == std::vector<std::int64_t>{2, 1});
    CHECK(x.bytes == 16);
    CHECK(x.minimum == -1);
    CHECK(x.maximum == 3);
    CHECK(x.mean == 1);
    const session::TensorSummary& div = run.nodes[1].outputs.at(0);
    CHECK(div.nanCount == 1);
    CHECK(div.infCount == 3);
    CHECK(!div.mean.has_value());
    CHECK(numbers<float>(run.outputs[1]) == std::vector<float>{4});
    CHECK(run.nodes[1].nanoseconds > 0);
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
    const auto graph = graphOf("x: \"f32[8]\"", R"(
        rand: "f32[8]" = torch.ops.aten.rand.default([8])
        add: "f32[8]" = torch.ops.aten.add.Tensor(x, rand)
        return (add,)
)");
    CHECK(ran(graph, test::seeded(3)).outputs[0].bytes == ran(graph, test::seeded(3)).outputs[0].bytes);
    CHECK(ran(graph, test::seeded(3)).outputs[0].bytes != ran(graph, test::seeded(4)).outputs[0].bytes);
}

TEST_CASE("a result that contradicts the logged metadata is told in words") {
    const auto run = ran(graphOf("x: \"f32[2, 3]\"", R"(
        t: "f32[2, 3]" = torch.ops.aten.t.default(x)
        gt: "f32[2, 3]" = torch.ops.aten.gt.Scalar(x, 0)
        return (t, gt)
)"));
    CHECK(run.nodes[0].mismatch.empty());
    CHECK(run.nodes[1].mismatch == "shape [3, 2], logged [2, 3]");
    CHECK(run.nodes[2].mismatch == "dtype bool, logged float32");
}

TEST_CASE("inputs have the strides of their metadata") {
    const auto run = ran(graphOf("x: \"f32[2, 3][1, 2]\", e: \"f32[4, 3][0, 1]\"", R"(
        sum_1: "f32[]" = torch.ops.aten.sum.default(x)
        return (sum_1,)
)"));
    CHECK(run.nodes[0].outputs.at(0).stride == std::vector<std::int64_t>{1, 2});
    CHECK(run.nodes[1].outputs.at(0).stride == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("integer inputs are valid where they are used as indexes") {
    SUBCASE("rows of an embedding, through views") {
        const auto run = ran(graphOf("w: \"f32[3, 2]\", i: \"i64[100]\"", R"(
        view: "i64[10, 10]" = torch.ops.aten.view.default(i, [10, 10])
        embedding: "f32[10, 10, 2]" = torch.ops.aten.embedding.default(w, view)
        return (embedding,)
)"));
        CHECK(run.nodes[1].outputs.at(0).maximum == 2);
    }
    SUBCASE("classes of a loss, in a backward graph too") {
        CHECK(ran(graphOf("g: \"f32[]\", x: \"f32[50, 2]\", t: \"i64[50]\", n: \"f32[]\"", R"(
        b: "f32[50, 2]" = torch.ops.aten.nll_loss_backward.default(g, x, t, None, 1, -100, n)
        return (b,)
)"))
                  .outputs.size() == 1);
    }
    SUBCASE("behind an addition") {
        const auto run = ran(graphOf("w: \"f32[5, 2]\", i: \"i64[100]\"", R"(
        add: "i64[100]" = torch.ops.aten.add.Tensor(i, 2)
        embedding: "f32[100, 2]" = torch.ops.aten.embedding.default(w, add)
        return (embedding,)
)"));
        CHECK(run.nodes[1].outputs.at(0).maximum == 2);
    }
}

TEST_CASE("symbols take given values, else hints, and those of the data are learnt") {
    const auto graph = graphOf("s0: \"Sym(s0)\", x: \"f32[s0, 2]\"", R"G(
        gt: "b8[s0, 2]" = torch.ops.aten.gt.Scalar(x, 0)
        nonzero: "i64[u0, 2][1, u0]" = torch.ops.aten.nonzero.default(gt)
        sym_size_int: "Sym(u0)" = torch.ops.aten.sym_size.int(nonzero, 0)
        ge: "Sym(u0 >= 0)" = sym_size_int >= 0
        _assert_scalar = torch.ops.aten._assert_scalar.default(ge, "u0 >= 0")
        return (nonzero, s0)
)G");
    const auto run = ran(graph, test::withSymbols({{"s0", 9}}));
    CHECK(numbers<std::int64_t>(run.outputs[1]) == std::vector<std::int64_t>{9});
    CHECK(run.symbols.contains("u0"));
    CHECK(run.nodes[5].scalar == "True");
    for (const session::NodeRun& node : run.nodes) {
        CHECK(node.mismatch == "");
    }
    // A given tensor shows its symbol's value.
    CHECK(ran(graph, test::withInputs({{"x", floats({3, 2}, {1, 1, 1, 1, 1, 1})}})).symbols.at("s0") == 3);
}

TEST_CASE("operators in place change their argument") {
    const auto run = ran(graphOf("x: \"f32[2]\"", R"(
        add: "f32[2]" = torch.ops.aten.add.Tensor(x, 1)
        copy_: "f32[2]" = torch.ops.aten.copy_.default(x, add)
        return (x,)
)"),
                         test::withInputs({{"x", floats({2}, {1, 2})}}));
    CHECK(numbers<float>(run.outputs[0]) == std::vector<float>{2, 3});
}

TEST_CASE("values are let go after their last use") {
    std::string body = "        r0: \"f32[1000]\" = torch.ops.aten.relu.default(x)\n";
    for (int i = 1; i < 20; ++i) {
        const std::string before = std::to_string(i - 1);
        body += "        r" + std::to_string(i) + ": \"f32[1000]\" = torch.ops.aten.neg.default(r" + before +
                ");  r" + before + " = None\n";
    }
    const auto run = ran(graphOf("x: \"f32[1000]\"", body + "        return (r19,)\n"));
    CHECK(run.peakBytes == 8000);
}

TEST_CASE("control flow runs its subgraphs") {
    SUBCASE("cond takes one of two") {
        const auto graph = graphOf("p: \"b8[]\", x: \"f32[1]\"", R"(
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (x,))
        getitem: "f32[1]" = cond[0]
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, a: "f32[1]"):
            add: "f32[1]" = torch.ops.aten.add.Tensor(a, 1)
            return (add,)

    class false_graph_0(torch.nn.Module):
        def forward(self, a: "f32[1]"):
            mul: "f32[1]" = torch.ops.aten.mul.Tensor(a, 5)
            return (mul,)
)");
        aot::TensorData yes{"bool", {}, std::string(1, '\1')};
        aot::TensorData no{"bool", {}, std::string(1, '\0')};
        const auto x = floats({1}, {3});
        CHECK(numbers<float>(ran(graph, test::withInputs({{"p", yes}, {"x", x}})).outputs[0])[0] == 4);
        CHECK(numbers<float>(ran(graph, test::withInputs({{"p", no}, {"x", x}})).outputs[0])[0] == 15);
    }
    SUBCASE("while_loop goes on as long as its condition holds") {
        const auto graph = graphOf("x: \"i64[]\"", R"(
        cond_0 = self.cond_0
        body_0 = self.body_0
        while_loop = torch.ops.higher_order.while_loop(cond_0, body_0, (x,), ())
        getitem: "i64[]" = while_loop[0]
        return (getitem,)

    class cond_0(torch.nn.Module):
        def forward(self, a: "i64[]"):
            lt: "b8[]" = torch.ops.aten.lt.Scalar(a, 100)
            return lt

    class body_0(torch.nn.Module):
        def forward(self, a: "i64[]"):
            mul: "i64[]" = torch.ops.aten.mul.Tensor(a, 2)
            return (mul,)
)");
        CHECK(numbers<std::int64_t>(ran(graph, test::withInputs({{"x", integers({}, {3})}})).outputs[0])[0] ==
              192);
    }
    SUBCASE("scan carries and stacks") {
        const auto graph = graphOf("h: \"f32[]\", x: \"f32[3]\"", R"(
        step_0 = self.step_0
        scan = torch.ops.higher_order.scan(step_0, (h,), (x,), ())
        getitem: "f32[]" = scan[0]
        getitem_1: "f32[3]" = scan[1]
        return (getitem, getitem_1)

    class step_0(torch.nn.Module):
        def forward(self, a: "f32[]", b: "f32[]"):
            add: "f32[]" = torch.ops.aten.add.Tensor(a, b)
            clone: "f32[]" = torch.ops.aten.clone.default(add)
            return (add, clone)
)");
        const auto run =
            ran(graph, test::withInputs({{"h", floats({}, {1})}, {"x", floats({3}, {1, 2, 3})}}));
        CHECK(numbers<float>(run.outputs[0]) == std::vector<float>{7});
        CHECK(numbers<float>(run.outputs[1]) == std::vector<float>{2, 4, 7});
    }
    SUBCASE("what only wraps a body is the body, on the arguments behind it") {
        for (const std::string call :
             {"wrap(body_0, ", "tag_activation_checkpoint(body_0, ", "wrap_activation_checkpoint(body_0, ",
              "wrap_with_set_grad_enabled(False, body_0, ",
              "wrap_with_autocast('cpu', None, False, None, body_0, "}) {
            CAPTURE(call);
            const auto graph = graphOf("x: \"f32[]\", y: \"f32[]\"", R"(
        body_0 = self.body_0
        wrapped = torch.ops.higher_order.)" + call + R"(x, y)
        getitem: "f32[]" = wrapped[0]
        return (getitem,)

    class body_0(torch.nn.Module):
        def forward(self, a: "f32[]", b: "f32[]"):
            sub: "f32[]" = torch.ops.aten.sub.Tensor(a, b)
            return (sub,)
)");
            const auto inputs = test::withInputs({{"x", floats({}, {5})}, {"y", floats({}, {3})}});
            CHECK(numbers<float>(ran(graph, inputs).outputs[0])[0] == 2);
        }
    }
    SUBCASE("one that cannot be run is named") {
        const auto error = failed(graphOf("x: \"f32[1]\"", R"(
        r = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, kwargs = {'x': x})
        return (r,)
)"));
        CHECK(error.code == "run.unsupported_higher_order");
        CHECK(error.message.find("triton_kernel_wrapper_functional") != std::string::npos);
    }
}

TEST_CASE("what stands in for something else is said") {
    SUBCASE("custom operators") {
        const auto run = ran(graphOf("x: \"f32[2]\"", R"(
        mine: "f32[3]" = torch.ops.mylib.mine.default(x, 2)
        relu: "f32[3]" = torch.ops.aten.relu.default(mine)
        return (relu,)
)"));
        CHECK(run.nodes[1].note.find("mylib.mine") != std::string::npos);
        CHECK(run.nodes[1].mismatch.empty());
        CHECK(run.nodes[2].note.empty());
        CHECK(says(run.notes, "mylib.mine"));
    }
    SUBCASE("devices") {
        const auto run = ran(graphOf("x: \"f32[2][1]cuda:0\"", R"(
        relu: "f32[2][1]cuda:0" = torch.ops.aten.relu.default(x)
        return (relu,)
)"));
        CHECK(says(run.notes, "cuda:0"));
        CHECK(run.nodes[1].mismatch.empty());
    }
    SUBCASE("names that the graph does not have") {
        session::RunOptions options = test::withSymbols({{"s0", 3}, {"s7", 9}});
        options.inputs = {{"x", floats({3}, {1, 2, 3})}, {"y", floats({1}, {1})}};
        const auto run = ran(graphOf("s0: \"Sym(s0)\", x: \"f32[s0]\"", "        return (x,)\n"), options);
        CHECK(run.notes.size() == 2);
        CHECK(says(run.notes, "no input \"y\""));
        CHECK(says(run.notes, "no symbol \"s7\""));
    }
    SUBCASE("collectives") {
        const auto run = ran(graphOf("x: \"f32[2]\"", R"(
        all_gather: "f32[8]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 4, '0')
        wait_tensor: "f32[8]" = torch.ops._c10d_functional.wait_tensor.default(all_gather)
        return (wait_tensor,)
)"));
        CHECK(run.nodes[2].mismatch.empty());
        CHECK(says(run.notes, "Collectives"));
    }
}

TEST_CASE("a node that fails ends the run and keeps what ran before") {
    auto result = test::backend().answer(session::RunCall{graphOf("x: \"f32[2]\", y: \"f32[3]\"", R"(
        relu: "f32[2]" = torch.ops.aten.relu.default(x)
        add: "f32[2]" = torch.ops.aten.add.Tensor(relu, y)
        neg: "f32[2]" = torch.ops.aten.neg.default(add)
        return (neg,)
)"),
                                                          {}});
    REQUIRE(result.ok());
    REQUIRE(result->error.has_value());
    CHECK(result->error->code == "run.operator_failed");
    CHECK(result->error->place.node == "add");
    CHECK(result->error->message.find("aten.add.Tensor") != std::string::npos);
    CHECK(result->error->message.find('\n') == std::string::npos);
    CHECK(result->nodes.size() == 3);
}

TEST_CASE("hostile graphs end in an error") {
    const auto code = [](const std::string& parameters, const std::string& statement) {
        return failed(graphOf(parameters, "        r = " + statement + "\n        return (r,)\n")).code;
    };
    const std::string x = "x: \"f32[4]\"";
    CHECK(code(x, "torch.ops.aten.relu.default()") == "run.arguments");
    CHECK(code(x, "torch.ops.aten.relu.default(x, x, x)") == "run.arguments");
    CHECK(code(x, "torch.ops.aten.relu.default('x')") == "run.arguments");
    CHECK(code(x, "torch.ops.aten.relu.default(x, other = 1)") == "run.arguments");
    CHECK(code(x, "torch.ops.aten.view.default(x, ['a'])") == "run.arguments");
    CHECK(code(x, "torch.ops.aten.no_such_operator.default(x)") == "run.unknown_operator");
    CHECK(code(x, "torch.ops.aten.zeros.default([1152921504606846976])") != "");
    CHECK(code(x, "torch.ops.aten.zeros.default([1099511627776])") == "run.too_large");
    CHECK(code(x, "torch.ops.aten.zeros.default([4611686018427387904, 4611686018427387904])") != "");
    CHECK(code(x, "torch.ops.aten.as_strided.default(x, [100], [100])") == "run.operator_failed");
    CHECK(code(x,
               "torch.ops.prims.iota.default(1152921504606846976, start = 0, step = 1, dtype = torch.int64, "
               "device = device(type='cpu'), requires_grad = False)") == "run.arguments");
    CHECK(code("x: \"f32[1152921504606846976]\"", "torch.ops.aten.relu.default(x)") == "run.too_large");
    CHECK(code("x: \"f32[2000000, 2000000]\"", "torch.ops.aten.relu.default(x)") == "run.too_large");
    CHECK(code("x: \"f32[-4]\"", "torch.ops.aten.relu.default(x)") == "run.unsupported_input");
    CHECK(code("x: \"f32[1099511627776][0]\"", "torch.ops.aten.unbind.int(x)") == "run.too_large");
    CHECK(code("x: \"f32[1099511627776][0]\"", "torch.ops.aten.sum.default(x)") == "run.too_large");
    CHECK(code("s0: \"Sym(s0)\"", "s0 // 0") == "run.division_by_zero");
    CHECK(code("s0: \"Sym(s0)\"", "s0 ** 9000") == "run.overflow");
}

TEST_CASE("indexes outside of a tensor are refused before a kernel sees them") {
    const auto error =
        failed(graphOf("g: \"f32[1, 1, 1, 1]\", x: \"f32[1, 1, 2, 2]\", i: \"i64[1, 1, 1, 1]\"", R"(
        b: "f32[1, 1, 2, 2]" = torch.ops.aten.max_pool2d_with_indices_backward.default(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
        return (b,)
)"),
               test::withInputs({{"i", integers({1, 1, 1, 1}, {1'000'000'000})}}));
    CHECK(error.code == "run.index");
    CHECK(error.place.node == "b");
}

TEST_CASE("a Dynamo graph says which graph to run instead") {
    const auto error = failed(graphOf("x: \"f32[2]\"", R"(
        relu: "f32[2]" = torch.relu(x)
        return (relu,)
)"));
    CHECK(error.code == "run.python_call");
    CHECK(error.place.node == "relu");
    CHECK(!error.hint.empty());
}

TEST_CASE("a run can be stopped") {
    std::stop_source source;
    source.request_stop();
    auto result =
        test::backend().answer(session::RunCall{graphOf("x: \"f32[2]\"", "        return (x,)\n"), {}},
                               base::Progress({}, source.get_token()));
    REQUIRE(!result.ok());
    CHECK(base::isCanceled(result.error()));
}

TEST_CASE("given inputs must have the bytes that their shape needs") {
    const auto error = failed(graphOf("x: \"f32[2]\"", "        return (x,)\n"),
                              test::withInputs({{"x", {"float32", {1'000'000'000'000}, "abc"}}}));
    CHECK(error.code == "run.unsupported_input");
    CHECK(error.place.node == "x");
}

TEST_CASE("dtypes of every kind can be inputs") {
    for (const std::string dtype : {"f64", "f16", "bf16", "f8e4m3fn", "f8e5m2", "c64", "c128", "i8", "i16",
                                    "i32", "u8", "b8", "u16", "u32", "u64"}) {
        CAPTURE(dtype);
        const auto run = ran(graphOf("x: \"" + dtype + "[16]\"", R"(
        clone = torch.ops.aten.clone.default(x)
        return (clone,)
)"));
        CHECK(run.nodes[0].mismatch == "");
        CHECK(run.nodes[1].outputs.at(0).mean.has_value());
        CHECK(run.nodes[1].outputs.at(0).nanCount == 0);
    }
}
