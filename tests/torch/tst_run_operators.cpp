#include "run_support.h"

#include <algorithm>

using namespace aotscope;

TEST_CASE("the dispatcher's schemas come as sorted text lines") {
    const std::vector<std::string> schemas = test::backend().answer(session::SchemasCall()).value();
    CHECK(schemas.size() > 2000);
    CHECK(std::is_sorted(schemas.begin(), schemas.end()));
    CHECK(std::binary_search(
        schemas.begin(), schemas.end(),
        "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) "
        "-> Tensor"));
    CHECK(std::binary_search(
        schemas.begin(), schemas.end(),
        "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"));
}

TEST_CASE("coverage counts PyTorch's own lists, and most of them work") {
    const std::vector<session::CoverageRow> rows = test::backend().answer(session::CoverageCall()).value();
    const std::vector<session::CoverageTotal> totals = session::coverageTotals(rows);
    struct Bar {
        session::CoverageArea area;
        const char* group;
        std::size_t atLeast;
        double share;
    };
    using enum session::CoverageArea;
    for (const Bar& bar : {Bar{Calls, "torch.nn.functional", 130, 0.9}, Bar{Calls, "Tensor", 500, 0.9},
                           Bar{Shapes, "functional", 1500, 0.9}, Bar{Decompositions, "core", 300, 0.8},
                           Bar{Decompositions, "inductor", 300, 0.8}}) {
        INFO(bar.group);
        const auto total = std::find_if(totals.begin(), totals.end(), [&](const auto& one) {
            return one.area == bar.area && one.group == bar.group;
        });
        REQUIRE(total != totals.end());
        CHECK(total->covered + total->fallback + total->missing >= bar.atLeast);
        CHECK(total->share >= bar.share);
    }
    // An operator that neither kernel nor composite of LibTorch gives a shape has to be told as missing.
    const auto missing = std::find_if(rows.begin(), rows.end(), [](const session::CoverageRow& row) {
        return row.area == Shapes && row.name == "aten::_cudnn_ctc_loss";
    });
    REQUIRE(missing != rows.end());
    CHECK(missing->state == session::CoverageState::Missing);
}

TEST_CASE("the backend says what it is") {
    CHECK(test::backend().description().starts_with("LibTorch " AOTSCOPE_LIBTORCH_RELEASE));
}

TEST_CASE("an operator that changes a list in place gives the list, as Inductor's graphs have it") {
    const auto run =
        test::ran(test::graphOf("x: \"f32[2]\", y: \"f32[1]\"", R"(
        _foreach_add = torch.ops.aten._foreach_add_.Scalar([x, y], 1)
        getitem: "f32[2]" = _foreach_add[0]
        getitem_1: "f32[1]" = _foreach_add[1]
        return (getitem, getitem_1)
)"),
                  test::withInputs({{"x", test::floats({2}, {1, 2})}, {"y", test::floats({1}, {5})}}));
    CHECK(test::numbers<float>(run.outputs[0]) == std::vector<float>{2, 3});
    CHECK(test::numbers<float>(run.outputs[1]) == std::vector<float>{6});
}

TEST_CASE("arguments are converted as the schema wants them") {
    SUBCASE("an integer becomes a Scalar, a number a tensor, a keyword finds its place") {
        const auto run = test::ran(test::graphOf("x: \"f32[2]\"", R"(
        add: "f32[2]" = torch.ops.aten.add.Tensor(x, 3, alpha = 2)
        return (add,)
)"),
                                   test::withInputs({{"x", test::floats({2}, {1, 2})}}));
        CHECK(test::numbers<float>(run.outputs[0]) == std::vector<float>{7, 8});
    }
    SUBCASE("lists of optional tensors hold None") {
        const auto run = test::ran(test::graphOf("x: \"f32[2, 3]\", i: \"i64[2]\"", R"(
        index: "f32[2, 2]" = torch.ops.aten.index.Tensor(x, [None, i])
        return (index,)
)"),
                                   test::withInputs({{"x", test::floats({2, 3}, {0, 1, 2, 3, 4, 5})},
                                                     {"i", test::integers({2}, {2, 0})}}));
        CHECK(test::numbers<float>(run.outputs[0]) == std::vector<float>{2, 0, 5, 3});
    }
    SUBCASE("dtype, layout, device and memory format") {
        const auto run = test::ran(test::graphOf("x: \"f32[2]\"", R"(
        full: "f16[2]" = torch.ops.aten.full.default([2], 1.5, dtype = torch.float16, layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)
        _to_copy: "f64[2]" = torch.ops.aten._to_copy.default(full, dtype = torch.float64, memory_format = torch.preserve_format)
        return (_to_copy,)
)"));
        CHECK(test::numbers<double>(run.outputs[0]) == std::vector<double>{1.5, 1.5});
    }
    SUBCASE("infinity and negative numbers") {
        const auto run = test::ran(test::graphOf("x: \"f32[1]\"", R"(
        full: "f32[1]" = torch.ops.aten.full.default([1], -inf)
        return (full,)
)"));
        CHECK(test::numbers<float>(run.outputs[0])[0] < -1e38F);
    }
}

TEST_CASE("Python's functions compute as Python does") {
    const auto value = [](const std::string& expression) {
        const auto run = test::ran(test::graphOf("s0: \"Sym(s0)\"", "        r = " + expression + R"(
        full = torch.ops.aten.full.default([1], r, dtype = torch.float64)
        return (full,)
)"),
                                   test::withSymbols({{"s0", -7}}));
        return test::numbers<double>(run.outputs[0])[0];
    };
    CHECK(value("s0 // 2") == -4);
    CHECK(value("s0 % 4") == 1);
    CHECK(value("s0 * 3") == -21);
    CHECK(value("s0 ** 2") == 49);
    CHECK(value("s0 / 2") == -3.5);
    CHECK(value("-s0") == 7);
    CHECK(value("torch.sym_max(s0, 2)") == 2);
    CHECK(value("math.floor(s0)") == -7);
    CHECK(value("torch.sym_float(s0)") == -7);
}

TEST_CASE("primitives that PyTorch registers from Python are computed") {
    SUBCASE("iota, convert_element_type and fma") {
        const auto run = test::ran(test::graphOf("x: \"f32[3]\"", R"(
        iota: "i64[3]" = torch.ops.prims.iota.default(3, start = 1, step = 2, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)
        convert_element_type: "f32[3]" = torch.ops.prims.convert_element_type.default(iota, torch.float32)
        fma: "f32[3]" = torch.ops.prims.fma.default(convert_element_type, x, x)
        return (fma,)
)"),
                                   test::withInputs({{"x", test::floats({3}, {1, 1, 2})}}));
        CHECK(test::numbers<float>(run.outputs[0]) == std::vector<float>{2, 4, 12});
    }
    SUBCASE("a primitive with the name of an ATen operator") {
        const auto run = test::ran(test::graphOf("x: \"f32[1]\"", R"(
        neg: "f32[1]" = torch.ops.prims.neg.default(x)
        return (neg,)
)"),
                                   test::withInputs({{"x", test::floats({1}, {4})}}));
        CHECK(test::numbers<float>(run.outputs[0]) == std::vector<float>{-4});
    }
    SUBCASE("pooling with offsets leads back to the indices") {
        const auto run = test::ran(test::graphOf("x: \"f32[1, 1, 4, 4]\"", R"(
        pool = torch.ops.prims._low_memory_max_pool_with_offsets.default(x, [3, 3], [2, 2], [1, 1], [1, 1], False)
        getitem: "f32[1, 1, 2, 2]" = pool[0]
        getitem_1: "i8[1, 1, 2, 2]" = pool[1]
        indices: "i64[1, 1, 2, 2]" = torch.ops.prims._low_memory_max_pool_offsets_to_indices.default(getitem_1, [3, 3], [4, 4], [2, 2], [1, 1], [1, 1])
        aten = torch.ops.aten.max_pool2d_with_indices.default(x, [3, 3], [2, 2], [1, 1])
        getitem_2: "f32[1, 1, 2, 2]" = aten[0]
        getitem_3: "i64[1, 1, 2, 2]" = aten[1]
        return (getitem, getitem_2, indices, getitem_3)
)"));
        CHECK(run.outputs[0].bytes == run.outputs[1].bytes);
        CHECK(run.outputs[2].bytes == run.outputs[3].bytes);
    }
}

TEST_CASE("lists among the results of an operator that is not known are made up too, and a failure behind it "
          "says so") {
    const std::string split = R"(
        split3 = torch.ops.unknown.split3.default(x)
        getitem: "f32[3]" = split3[0]
        getitem_1 = split3[1];  split3 = None
        getitem_2: "f32[3]" = getitem_1[0]
        getitem_3: "f32[3]" = getitem_1[1];  getitem_1 = None
        mul: "f32[3]" = torch.ops.aten.mul.Tensor(getitem_2, getitem_3);  getitem_2 = getitem_3 = None
)";
    const auto run = test::ran(test::graphOf("x: \"f32[3]\"", split + "        return (getitem, mul)\n"));
    REQUIRE(run.standIns.size() == 1);
    CHECK(test::numbers<float>(run.outputs[1]).size() == 3);
    const auto error = test::failed(test::graphOf(
        "x: \"f32[3]\"", split + "        mm = torch.ops.aten.mm.default(mul, mul)\n        return (mm,)\n"));
    REQUIRE_FALSE(error.notes.empty());
    CHECK(error.notes.back().find("unknown.split3.default") != std::string::npos);
}

TEST_CASE("quantized tensors are computed as torch.ao registers it") {
    // Answers of torch 2.11.
    const auto q = [](const std::string& body) {
        const auto run = test::ran(
            test::graphOf(
                "x: \"f32[2, 4]\", s: \"f32[4]\", z: \"i64[4]\", g: \"f32[2, 2]\", o: \"i64[2, 2]\"", body),
            test::withInputs(
                {{"x", test::floats({2, 4}, {-1.0F, -0.26F, 0.0F, 0.349F, 0.35F, 0.75F, 1.25F, 9.0F})},
                 {"s", test::floats({4}, {0.1F, 0.2F, 0.3F, 0.4F})},
                 {"z", test::integers({4}, {0, 1, 2, 3})},
                 {"g", test::floats({2, 2}, {0.1F, 0.2F, 0.3F, 0.4F})},
                 {"o", test::integers({2, 2}, {0, 1, 2, 3})}}));
        return run.outputs;
    };
    using Bytes = std::vector<std::int8_t>;
    using Floats = std::vector<float>;
    using Doubles = std::vector<double>;
    using Longs = std::vector<std::int64_t>;
    SUBCASE("per tensor") {
        const auto out = q(R"(
        a = torch.ops.quantized_decomposed.quantize_per_tensor.default(x, 0.1, 3, -128, 127, torch.int8)
        b = torch.ops.quantized_decomposed.dequantize_per_tensor.default(a, 0.1, 3, -128, 127, torch.int8)
        c = torch.ops.quantized_decomposed.dequantize_per_tensor.default(a, 0.1, 3, -128, 127, torch.int8, out_dtype = torch.bfloat16)
        return (a, b, c)
)");
        CHECK(test::numbers<std::int8_t>(out[0]) == Bytes{-7, 0, 3, 6, 7, 11, 15, 93});
        CHECK(test::numbers<float>(out[1]) == Floats{-1.0F, -0.3F, 0.0F, 0.3F, 0.4F, 0.8F, 1.2F, 9.0F});
        CHECK(out[2].dtype == "bfloat16");
    }
    SUBCASE("per channel") {
        const auto out = q(R"(
        a = torch.ops.quantized_decomposed.quantize_per_channel.default(x, s, z, 1, -128, 127, torch.int8)
        b = torch.ops.quantized_decomposed.dequantize_per_channel.default(a, s, z, 1, -128, 127, torch.int8)
        c = torch.ops.quantized_decomposed.dequantize_per_channel.default(a, s, None, 1, -128, 127, torch.int8)
        return (a, b, c)
)");
        CHECK(test::numbers<std::int8_t>(out[0]) == Bytes{-10, 0, 2, 4, 4, 5, 6, 25});
        CHECK(test::numbers<float>(out[1]) ==
              Floats{-1.0F, -0.2F, 0.0F, 0.4F, 0.4F, 0.8F, 1.20000005F, 8.80000019F});
        CHECK(test::numbers<float>(out[2]) ==
              Floats{-1.0F, 0.0F, 0.600000024F, 1.60000002F, 0.4F, 1.0F, 1.80000007F, 10.0F});
    }
    SUBCASE("per token and per group") {
        const auto out = q(R"(
        p = torch.ops.quantized_decomposed.choose_qparams_per_token_asymmetric.default(x, torch.int8)
        p0 = p[0]
        p1 = p[1]
        a = torch.ops.quantized_decomposed.quantize_per_token.default(x, p0, p1, -128, 127, torch.int8)
        b = torch.ops.quantized_decomposed.dequantize_per_token.default(a, p0, p1, -128, 127, torch.int8, torch.float32)
        c = torch.ops.quantized_decomposed.quantize_per_channel_group.default(x, g, o, -128, 127, torch.int8, 2)
        d = torch.ops.quantized_decomposed.dequantize_per_channel_group.default(c, g, None, -128, 127, torch.int8, 2, torch.float32)
        return (p0, p1, a, b, c, d)
)");
        CHECK(test::numbers<double>(out[0]) == Doubles{0.005290195811539888, 0.03529411926865578});
        CHECK(test::numbers<std::int64_t>(out[1]) == Longs{61, -128});
        CHECK(test::numbers<std::int8_t>(out[2]) == Bytes{-128, 12, 61, 127, -118, -107, -93, 127});
        CHECK(test::numbers<float>(out[3]) == Floats{-0.9998469948768616F, -0.25921958684921265F, 0.0F,
                                                     0.34915292263031006F, 0.3529411852359772F,
                                                     0.7411764860153198F, 1.235294222831726F, 9.0F});
        CHECK(test::numbers<std::int8_t>(out[4]) == Bytes{-10, -3, 1, 3, 3, 4, 6, 26});
        CHECK(test::numbers<float>(out[5]) == Floats{-1.0F, -0.3F, 0.2F, 0.6F, 0.9000000357627869F,
                                                     1.2000000476837158F, 2.4F, 10.40000057220459F});
    }
    SUBCASE("scales that are chosen") {
        const auto out = q(R"(
        a = torch.ops.quantized_decomposed.choose_qparams.tensor(x, -128, 127, 1e-05, torch.int8)
        a0 = a[0]
        a1 = a[1]
        b = torch.ops.quantized_decomposed.choose_qparams_symmetric.tensor(x, 0, 255, 1e-05, torch.uint8)
        b0 = b[0]
        b1 = b[1]
        c = torch.ops.quantized_decomposed.choose_qparams_per_token.default(x, torch.int8)
        c0 = c[0]
        return (a0, a1, b0, b1, c0)
)");
        CHECK(test::numbers<double>(out[0]) == Doubles{0.03921568766236305});
        CHECK(test::numbers<std::int64_t>(out[1]) == Longs{-102});
        CHECK(test::numbers<double>(out[2]) == Doubles{0.07058823853731155});
        CHECK(test::numbers<std::int64_t>(out[3]) == Longs{128});
        CHECK(test::numbers<float>(out[4]) == Floats{0.007874015718698502F, 0.07086614519357681F});
    }
}

TEST_CASE("inputs are made as the operators that read them want them") {
    SUBCASE("offsets of a pooling lie within its window, and lead to places of its input") {
        const auto run = test::ran(
            test::graphOf("o: \"i8[1, 2, 3, 3]\", t: \"f32[1, 2, 3, 3]\", x: \"f32[1, 2, 5, 5]\"", R"(
        i: "i64[1, 2, 3, 3]" = torch.ops.prims._low_memory_max_pool_offsets_to_indices.default(o, [3, 3], [5, 5], [2, 2], [1, 1], [1, 1])
        back: "f32[1, 2, 5, 5]" = torch.ops.aten.max_pool2d_with_indices_backward.default(t, x, [3, 3], [2, 2], [1, 1], [1, 1], False, i)
        return (o, back)
)"));
        for (const std::int8_t offset : test::numbers<std::int8_t>(run.outputs[0])) {
            CHECK(offset >= 0);
            CHECK(offset < 9);
        }
    }
    SUBCASE("an input that nobody uses may be anything") {
        const auto run = test::ran(test::graphOf("x: \"f32[1]\", nothing", R"(
        neg: "f32[1]" = torch.ops.aten.neg.default(x)
        return (neg,)
)"));
        CHECK(run.outputs.size() == 1);
        CHECK(test::failed(
                  test::graphOf("nothing",
                                "        neg = torch.ops.aten.neg.default(nothing)\n        return (neg,)\n"))
                  .code == "run.unsupported_input");
    }
    SUBCASE("offsets of bags begin at 0 and end within the indices") {
        const auto run = test::ran(test::graphOf("w: \"f32[3, 4]\", i: \"i64[7]\", o: \"i64[3]\"", R"(
        bags = torch.ops.aten._embedding_bag.default(w, i, o)
        getitem: "f32[3, 4]" = bags[0]
        return (getitem, o)
)"));
        const std::vector<std::int64_t> offsets = test::numbers<std::int64_t>(run.outputs[1]);
        CHECK(offsets.front() == 0);
        CHECK(std::is_sorted(offsets.begin(), offsets.end()));
        CHECK(offsets.back() <= 7);
    }
    SUBCASE("what a bag's backward reads stays within its tables") {
        const auto run = test::ran(
            test::graphOf(R"(g: "f32[2, 4]", i: "i64[60]", b: "i64[60]", s: "i64[2]", m: "i64[2, 4]")", R"(
        made: "f32[3, 4]" = torch.ops.aten._embedding_bag_dense_backward.default(g, i, b, s, m, 3, False, 0, None)
        return (made, i, b)
)"));
        const std::vector<std::int64_t> indices = test::numbers<std::int64_t>(run.outputs[1]);
        const std::vector<std::int64_t> bags = test::numbers<std::int64_t>(run.outputs[2]);
        CHECK(*std::max_element(indices.begin(), indices.end()) < 3);
        CHECK(*std::max_element(bags.begin(), bags.end()) < 2);
    }
    SUBCASE("integers divide by integers that are not 0") {
        const auto run = test::ran(test::graphOf("x: \"i64[200]\", d: \"i64[200]\"", R"(
        remainder: "i64[200]" = torch.ops.aten.remainder.Tensor(x, d)
        div: "i64[200]" = torch.ops.aten.div.Tensor_mode(x, d, rounding_mode = 'floor')
        return (remainder, div)
)"));
        CHECK(run.outputs.size() == 2);
    }
    SUBCASE("pivots count from 1") {
        const auto run = test::ran(test::graphOf("lu: \"f32[5, 5]\", p: \"i32[5]\"", R"(
        unpacked = torch.ops.aten.lu_unpack.default(lu, p)
        getitem: "f32[5, 5]" = unpacked[0]
        return (getitem,)
)"));
        // A permutation: one 1 in every column.
        const std::vector<float> permutation = test::numbers<float>(run.outputs[0]);
        CHECK(std::count(permutation.begin(), permutation.end(), 1.F) == 5);
    }
    SUBCASE("lengths of segments sum up to the rows") {
        const auto run = test::ran(test::graphOf("x: \"f32[7, 2]\", l: \"i64[3]\", o: \"i64[4]\"", R"(
        made: "f32[3, 2]" = torch.ops.aten.segment_reduce.default(x, 'sum', lengths = l, axis = 0)
        again: "f32[3, 2]" = torch.ops.aten.segment_reduce.default(x, 'sum', offsets = o, axis = 0)
        return (l, o)
)"));
        const std::vector<std::int64_t> lengths = test::numbers<std::int64_t>(run.outputs[0]);
        CHECK(lengths[0] + lengths[1] + lengths[2] == 7);
        CHECK(test::numbers<std::int64_t>(run.outputs[1]).back() == 7);
    }
    SUBCASE("offsets summed up from lengths, joined with a 0, and lengths taken from offsets") {
        const auto run = test::ran(
            test::graphOf("w: \"f32[3, 4]\", i: \"i64[8]\", l: \"i64[3]\", x: \"f32[9]\", o: \"i64[4]\"", R"(
        zero: "i64[1]" = torch.ops.aten.full.default([1], 0, dtype = torch.int64)
        ends: "i64[3]" = torch.ops.aten.cumsum.default(l, 0)
        limits: "i64[4]" = torch.ops.aten.cat.default([zero, ends])
        bags = torch.ops.aten._embedding_bag.default(w, i, limits, False, 0, False, None, True)
        after: "i64[3]" = torch.ops.aten.slice.Tensor(o, 0, 1, 9223372036854775807)
        before: "i64[3]" = torch.ops.aten.slice.Tensor(o, 0, 0, -1)
        apart: "i64[3]" = torch.ops.aten.sub.Tensor(after, before)
        made: "f32[3]" = torch.ops.aten.segment_reduce.default(x, 'sum', lengths = apart, axis = 0)
        return (limits, o)
)"));
        CHECK(test::numbers<std::int64_t>(run.outputs[0]).back() == 8);
        CHECK(test::numbers<std::int64_t>(run.outputs[1]).back() == 9);
    }
    SUBCASE("numbers of the data that must sum up, by an assertion or as sizes of pieces") {
        const auto run =
            test::ran(test::graphOf("x: \"f32[9]\", n: \"i64[2]\", m: \"i64[3]\", k: \"i64[]\"", R"G(
        first: "i64[]" = torch.ops.aten.select.int(n, 0, 0)
        u0: "Sym(u0)" = torch.ops.aten._local_scalar_dense.default(first)
        second: "i64[]" = torch.ops.aten.select.int(n, 0, 1)
        u1: "Sym(u1)" = torch.ops.aten._local_scalar_dense.default(second)
        u2: "Sym(u2)" = torch.ops.aten._local_scalar_dense.default(k)
        sym_sum: "Sym(u0 + u1 + u2)" = torch.sym_sum([u0, u1, u2])
        add: "Sym(u0 + u1 + u2 + 1)" = sym_sum + 1
        eq: "Sym(Eq(u0 + u1 + u2, 13))" = add == 13
        _assert_scalar = torch.ops.aten._assert_scalar.default(eq, "Runtime assertion failed")
        a: "i64[]" = torch.ops.aten.select.int(m, 0, 0)
        u3: "Sym(u3)" = torch.ops.aten._local_scalar_dense.default(a)
        b: "i64[]" = torch.ops.aten.select.int(m, 0, 1)
        u4: "Sym(u4)" = torch.ops.aten._local_scalar_dense.default(b)
        c: "i64[]" = torch.ops.aten.select.int(m, 0, 2)
        u5: "Sym(u5)" = torch.ops.aten._local_scalar_dense.default(c)
        pieces = torch.ops.aten.split_with_sizes.default(x, [u3, u4, u5])
        return (n, k, m)
)G"));
        const std::vector<std::int64_t> pair = test::numbers<std::int64_t>(run.outputs[0]);
        CHECK(pair[0] + pair[1] + test::numbers<std::int64_t>(run.outputs[1]).front() == 12);
        const std::vector<std::int64_t> pieces = test::numbers<std::int64_t>(run.outputs[2]);
        CHECK(pieces[0] + pieces[1] + pieces[2] == 9);
    }
    SUBCASE("a mask has no more true places than there are values for them") {
        const auto run = test::ran(test::graphOf("x: \"f32[6, 10]\", m: \"b8[6, 1]\", s: \"f32[2, 10]\"", R"(
        expand: "b8[6, 10]" = torch.ops.aten.expand.default(m, [6, 10])
        made: "f32[6, 10]" = torch.ops.aten.masked_scatter.default(x, expand, s)
        return (m,)
)"));
        const std::vector<std::uint8_t> mask = test::numbers<std::uint8_t>(run.outputs[0]);
        CHECK(std::count(mask.begin(), mask.end(), 1) == 2);
    }
    SUBCASE("the state of a generator is one") {
        const auto run = test::ran(test::graphOf("s: \"u8[5056]\", x: \"f32[4]\"", R"(
        made: "f32[4]" = torch.ops.higher_order.run_with_rng_state(s, torch.ops.aten.rand_like.default, x, pin_memory = False)
        again: "f32[4]" = torch.ops.higher_order.run_with_rng_state(s, torch.ops.aten.rand_like.default, x, pin_memory = False)
        return (made, again)
)"));
        CHECK(run.outputs[0].bytes == run.outputs[1].bytes);
    }
}
