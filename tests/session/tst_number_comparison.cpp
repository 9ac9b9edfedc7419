#include "contract/number_comparison.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace aotscope;
using aot::TensorData;

namespace {

ir::GraphPtr graphFromText(const std::string& text) {
    auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

/// A graph with one operator of a float type.
ir::GraphPtr graphOf(const std::string& type) {
    const std::string annotation = ": \"" + type + "[2][1]cpu\"";
    return graphFromText("class GraphModule(torch.nn.Module):\n    def forward(self, x" + annotation +
                         "):\n        cos" + annotation +
                         " = torch.ops.aten.cos.default(x);  x = None\n        return (cos,)\n");
}

template<typename Bits>
aot::TensorData tensor(const std::string& dtype, Bits first, Bits second) {
    const Bits bits[] = {first, second};
    aot::TensorData data{dtype, {2}, std::string(sizeof bits, '\0')};
    std::memcpy(data.bytes.data(), bits, sizeof bits);
    return data;
}

double apart(const aot::TensorData& made, const aot::TensorData& expected) {
    return session::compareNumbers(*graphOf("f16"), {made}, {expected}).worst();
}

} // namespace

TEST_CASE("narrow floats are compared as numbers") {
    // IEEE 754 binary16: 0x3c00 is 1, 0x3c01 the next, 0x4000 is 2, 0x0001 is 2^-24, 0x7c00 infinite.
    const auto half = [](std::uint16_t first, std::uint16_t second) {
        return tensor("float16", first, second);
    };
    const std::uint16_t one = 0x3c00;
    const std::uint16_t two = 0x4000;
    CHECK(apart(half(0x3c01, two), half(one, two)) == doctest::Approx(std::ldexp(1.0, -11)));
    CHECK(apart(half(0x8001, one), half(0x0001, one)) == doctest::Approx(std::ldexp(1.0, -23)));
    CHECK(std::isinf(apart(half(0x7c00, one), half(two, one))));
    CHECK(std::isinf(apart(half(0x7e00, one), half(two, one))));
    CHECK(session::compareNumbers(*graphOf("f16"), {half(0x3c01, two)}, {half(one, two)}).agrees());
    CHECK_FALSE(session::compareNumbers(*graphOf("f32"), {half(0x3c01, two)}, {half(one, two)}).agrees());
    const std::uint16_t bfloatOne = 0x3f80;
    const auto brain = [](std::uint16_t first, std::uint16_t second) {
        return tensor("bfloat16", first, second);
    };
    const auto numbers =
        session::compareNumbers(*graphOf("bf16"), {brain(bfloatOne, 0xc000)}, {brain(bfloatOne, 0xc000)});
    REQUIRE(numbers.tensors.size() == 1);
    CHECK(numbers.tensors.front().largest == 2);
}

TEST_CASE("8-bit floats are compared as numbers") {
    const auto narrow = [](std::uint8_t first) { return tensor<std::uint8_t>("float8_e4m3fn", first, 1); };
    CHECK(apart(narrow(7), narrow(7)) == 0);
    // 7/512 and 8/512: the smallest numbers lie 1/512 apart.
    CHECK(apart(narrow(7), narrow(8)) == doctest::Approx(1.0 / 8));
}

TEST_CASE("dtypes without numbers are the same or apart") {
    const auto packed = [](std::uint8_t first) { return tensor<std::uint8_t>("quint4x2", first, 1); };
    CHECK(apart(packed(7), packed(7)) == 0);
    CHECK(std::isinf(apart(packed(7), packed(8))));
}

TEST_CASE("numbers that are NaN on both sides are counted, as they agree without saying anything") {
    const std::uint16_t notNumber = 0x7e00;
    const auto both = tensor<std::uint16_t>("float16", notNumber, 0x3c00);
    const auto numbers = session::compareNumbers(*graphOf("f16"), {both}, {both});
    CHECK(numbers.agrees());
    CHECK(numbers.notNumbers() == 1);
    CHECK(session::compareNumbers(*graphOf("f16"), {tensor<std::int8_t>("int8", 1, 1)},
                                  {tensor<std::int8_t>("int8", 1, 1)})
              .notNumbers() == 0);
}

TEST_CASE("how far a tensor may be is its own: from the types and the operators on the way to it") {
    const ir::GraphPtr graph = graphFromText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu", y: "bf16[2][1]cpu", n: "i64[2][1]cpu"):
        cos: "f32[2][1]cpu" = torch.ops.aten.cos.default(x)
        sin: "f32[2][1]cpu" = torch.ops.aten.sin.default(cos)
        exp: "f32[2][1]cpu" = torch.ops.aten.exp.default(sin)
        neg: "f32[2][1]cpu" = torch.ops.aten.neg.default(exp);  exp = None
        view: "f32[2][1]cpu" = torch.ops.aten.view.default(cos, [2]);  cos = None
        mul: "bf16[2][1]cpu" = torch.ops.aten.mul.Tensor(y, y)
        wide: "f32[2][1]cpu" = torch.ops.prims.convert_element_type.default(mul, torch.float32);  mul = None
        raised: "f32[2][1]cpu" = torch.ops.prims.convert_element_type.default(y, torch.float32);  y = None
        add: "i64[2][1]cpu" = torch.ops.aten.add.Tensor(n, n);  n = None
        return (view, neg, wide, raised, add, x)
)");
    const std::vector<double> allowed = session::allowedDistances(*graph);
    REQUIRE(allowed.size() == 6);
    const double one = 16 * std::ldexp(1.0, -24);
    CHECK(allowed[0] == doctest::Approx(one));
    CHECK(allowed[1] == doctest::Approx(2 * one));
    CHECK(allowed[2] == doctest::Approx(2 * std::ldexp(1.0, -8) * std::sqrt(2.0)));
    CHECK(allowed[3] == doctest::Approx(one));
    CHECK(allowed[4] == 0);
    CHECK(allowed[5] == 0);
}

TEST_CASE("a graph that returns nothing may differ in what it writes as its operators may") {
    const ir::GraphPtr graph = graphFromText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu", n: "i64[2][1]cpu"):
        cos: "f32[2][1]cpu" = torch.ops.aten.cos.default(x)
        sin: "f32[2][1]cpu" = torch.ops.aten.sin.default(cos)
        exp: "f32[2][1]cpu" = torch.ops.aten.exp.default(sin)
        neg: "f32[2][1]cpu" = torch.ops.aten.neg.default(exp);  exp = None
        copy_: "f32[2][1]cpu" = torch.ops.aten.copy_.default(x, neg);  x = neg = copy_ = None
        return ()
)");
    CHECK(session::allowedDistances(*graph).empty());
    CHECK(session::allowedDistanceOfMutations(*graph) == doctest::Approx(2 * 16 * std::ldexp(1.0, -24)));
}

TEST_CASE("nothing is left out: a small gradient that is another one is told beside large ones that agree") {
    const auto gradient = [](float first, float second) { return tensor("float32", first, second); };
    const ir::GraphPtr graph = graphFromText(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu", y: "bf16[2][1]cpu"):
        cos: "f32[2][1]cpu" = torch.ops.aten.cos.default(x)
        sin: "f32[2][1]cpu" = torch.ops.aten.sin.default(x);  x = None
        mul: "bf16[2][1]cpu" = torch.ops.aten.mul.Tensor(y, y);  y = None
        return (cos, sin, mul)
)");
    const aot::TensorData large = gradient(1, 2);
    const aot::TensorData narrow = tensor<std::uint16_t>("bfloat16", 0x3f80, 0x3f80);
    const auto numbers = session::compareNumbers(*graph, {large, gradient(1e-9F, 2e-9F), narrow},
                                                 {large, gradient(2e-9F, 2e-9F), narrow});
    CHECK(numbers.tensors.size() == 3);
    REQUIRE(numbers.apart().size() == 1);
    CHECK(numbers.apart().front().position == 1);
    CHECK(numbers.apart().front().distance == doctest::Approx(0.5));
    CHECK_FALSE(numbers.agrees());
}
