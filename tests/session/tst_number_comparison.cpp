#include "session/number_comparison.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace aotscope;
using aot::TensorData;

namespace {

ir::GraphPtr graphOf(const std::string& type) {
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, x: \"" +
                                    type + "[2][1]cpu\"):\n        return (x,)\n");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

template<typename Bits>
aot::TensorData tensor(const std::string& dtype, Bits first, Bits second) {
    const Bits bits[] = {first, second};
    aot::TensorData data{dtype, {2}, std::string(sizeof bits, '\0')};
    std::memcpy(data.bytes.data(), bits, sizeof bits);
    return data;
}

double apart(const aot::TensorData& made, const aot::TensorData& expected) {
    return session::compareNumbers(*graphOf("f16"), {made}, {expected}).worst;
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
    CHECK(session::largestMagnitude(half(0xc000, one)) == 2);
    CHECK(session::compareNumbers(*graphOf("f16"), {half(0x3c01, two)}, {half(one, two)}).agrees());
    CHECK_FALSE(session::compareNumbers(*graphOf("f32"), {half(0x3c01, two)}, {half(one, two)}).agrees());
    const std::uint16_t bfloatOne = 0x3f80;
    CHECK(session::largestMagnitude(tensor<std::uint16_t>("bfloat16", bfloatOne, 0xc000)) == 2);
    CHECK(session::largestMagnitude(tensor<std::int8_t>("int8", -3, 1)) == 3);
}

TEST_CASE("numbers that are not read are the same or apart") {
    const auto narrow = [](std::uint8_t first) { return tensor<std::uint8_t>("float8_e4m3fn", first, 1); };
    CHECK(apart(narrow(7), narrow(7)) == 0);
    CHECK(std::isinf(apart(narrow(7), narrow(8))));
    CHECK(std::isinf(session::largestMagnitude(narrow(7))));
}

TEST_CASE("numbers that are NaN on both sides are counted, as they agree without saying anything") {
    const std::uint16_t notNumber = 0x7e00;
    const auto both = tensor<std::uint16_t>("float16", notNumber, 0x3c00);
    const auto numbers = session::compareNumbers(*graphOf("f16"), {both}, {both});
    CHECK(numbers.agrees());
    CHECK(numbers.notNumbers == 1);
    CHECK(session::compareNumbers(*graphOf("f16"), {tensor<std::int8_t>("int8", 1, 1)},
                                  {tensor<std::int8_t>("int8", 1, 1)})
              .notNumbers == 0);
}
