#include "ir/graph_builder.h"
#include "ir/python_literal.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace aotscope::ir;
using aotscope::base::Result;

namespace {

/// A graph with one call that takes `expression` as its second argument.
std::string callWith(const std::string& expression) {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, x: \"f32[2][1]cpu\", y: \"f32[2][1]cpu\"):\n"
           "        a = torch.ops.aten.f.default(x, " +
           expression +
           ", y);  x = y = None\n"
           "        return (a,)\n";
}

struct Read {
    GraphPtr graph;
    Argument argument;
};

Read readArgument(const std::string& expression) {
    const Result<GraphPtr> graph = parseGraphText(callWith(expression));
    if (!graph) {
        FAIL(graph.error().text());
    }
    const std::optional<NodeId> call = (*graph)->tryFind("a");
    REQUIRE(call.has_value());
    const Node& node = (*graph)->node(*call);
    REQUIRE(node.args.size() == 3);
    return {*graph, node.args[1]};
}

/// Prints `argument`, parses it again and compares.
void checkRoundTrip(const Argument& argument) {
    const std::string text = argumentText(*GraphBuilder().finish(), argument);
    CAPTURE(text);
    CHECK(readArgument(text).argument == argument);
}

} // namespace

TEST_CASE("each kind of constant is read as its kind and printed as Python's repr") {
    struct Row {
        const char* text;
        Argument expected;
    };
    const std::vector<Row> rows{
        {"None", NoneArgument{}},
        {"True", true},
        {"False", false},
        {"0", std::int64_t{0}},
        {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
        {"1.0", 1.0},
        {"-0.0", -0.0},
        {"1e-05", 1e-05},
        {"0.0001", 0.0001},
        {"1e+16", 1e16},
        {"1234567890123456.0", 1234567890123456.0},
        {"-3.4028234663852886e+38", -3.4028234663852886e+38},
        {"5e-324", 5e-324},
        {"inf", std::numeric_limits<double>::infinity()},
        {"-inf", -std::numeric_limits<double>::infinity()},
        {"nan", std::numeric_limits<double>::quiet_NaN()},
        {"1j", std::complex<double>(0, 1)},
        {"(1+2j)", std::complex<double>(1, 2)},
        {"(-0-1.5j)", std::complex<double>(-0.0, -1.5)},
        {"(1e-05+infj)", std::complex<double>(1e-05, std::numeric_limits<double>::infinity())},
        {"'none'", std::string("none")},
        {"\"it's\"", std::string("it's")},
        {"'\"it\\'s\"'", std::string("\"it's\"")},
        {"'a\\n\\t\\\\\\x00\\x7f'", std::string("a\n\t\\\0\x7f", 6)},
        {"'\xC3\xA9\\xa0\\u200b'", std::string("\xC3\xA9\xC2\xA0\xE2\x80\x8B")},
        {"'\xED\x9F\xBB\\ud7ff\\u0378\xF0\x9F\x98\x80'",
         std::string("\xED\x9F\xBB\xED\x9F\xBF\xCD\xB8\xF0\x9F\x98\x80")},
        {"9223372036854775808", OpaqueArgument{"9223372036854775808", {}}},
        {"-9223372036854775809", OpaqueArgument{"-9223372036854775809", {}}},
        {"torch.float32", DType::Float32},
        {"torch.float8_e4m3fn", DType::Float8E4M3FN},
        {"torch.strided", LayoutArgument{"strided"}},
        {"torch.jagged", LayoutArgument{"jagged"}},
        {"torch.channels_last", MemoryFormatArgument{"channels_last"}},
        {"device(type='cpu')", DeviceArgument{Device{"cpu", -1}}},
        {"device(type='cuda', index=1)", DeviceArgument{Device{"cuda", 1}}},
        {"Ellipsis", EllipsisArgument{}},
        {"torch.ops.aten.add.Tensor", OperatorArgument{"aten.add.Tensor"}},
        {"s77", SymbolArgument{SymExpr("s77")}},
        {"2*s0 + 1", SymbolArgument{SymExpr("2*s0 + 1")}},
        {"Max(1, u0)", SymbolArgument{SymExpr("Max(1, u0)")}},
        {"[]", ListArgument{}},
        {"()", TupleArgument{}},
        {"(1,)", TupleArgument{{std::int64_t{1}}}},
        {"[1, [2.0, 'a']]", ListArgument{{std::int64_t{1}, ListArgument{{2.0, std::string("a")}}}}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const Read read = readArgument(row.text);
        CHECK(read.argument == row.expected);
        CHECK(argumentText(*read.graph, read.argument) == row.text);
    }
}

TEST_CASE("nodes are found inside lists, slices, dictionaries and unknown expressions") {
    for (const char* text :
         {"[y, None]", "(slice(None, y, None), None)", "{'k': y, 'n': {'m': [y]}}", "Point(y, y)",
          "<OpOverload(op='aten.add', overload='Tensor')>", "{y, 1}", "y if y else None"}) {
        CAPTURE(text);
        const Read read = readArgument(text);
        CHECK(argumentText(*read.graph, read.argument) == text);
        int mentioned = 0;
        forEachNode(read.argument, [&](NodeId id) {
            CHECK(read.graph->node(id).name == "y");
            ++mentioned;
        });
        CHECK((mentioned > 0) == (std::string(text).find("op=") == std::string::npos));
    }
}

TEST_CASE("every double survives printing and reading") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (std::isnan(value)) {
            continue;
        }
        const std::string text = pythonFloat(value);
        CAPTURE(text);
        const std::optional<double> again = parsePythonFloat(text);
        REQUIRE(again.has_value());
        CHECK(std::bit_cast<std::uint64_t>(*again) == std::bit_cast<std::uint64_t>(value));
    }
}

TEST_CASE("every string survives printing and reading") {
    std::mt19937 random(11);
    // A view, because of the zero in it.
    using namespace std::string_view_literals;
    const std::string alphabet("ab'\"\\\n\r\t\0\x01\x7f {}[](),;#=%\xC3\xA9"sv);
    for (int i = 0; i < 500; ++i) {
        std::string text;
        for (std::size_t length = random() % 20; length > 0; --length) {
            text += alphabet[random() % alphabet.size()];
        }
        checkRoundTrip(text);
    }
}

TEST_CASE("random nested arguments survive printing and reading") {
    std::mt19937 random(13);
    const auto make = [&random](const auto& self, int depth) -> Argument {
        switch (random() % (depth > 3 ? 6 : 9)) {
        case 0:
            return NoneArgument{};
        case 1:
            return std::int64_t{static_cast<std::int64_t>(random()) - 2'000'000'000};
        case 2:
            return static_cast<double>(random()) / 7.0;
        case 3:
            return random() % 2 == 0;
        case 4:
            return std::string("s") + std::to_string(random()) + "'";
        case 5:
            return DType::BFloat16;
        case 6: {
            ListArgument list;
            for (std::size_t count = random() % 4; count > 0; --count) {
                list.items.push_back(self(self, depth + 1));
            }
            return list;
        }
        case 7: {
            TupleArgument tuple;
            for (std::size_t count = random() % 4; count > 0; --count) {
                tuple.items.push_back(self(self, depth + 1));
            }
            return tuple;
        }
        default: {
            auto dict = std::make_shared<DictArgument>();
            for (std::size_t count = random() % 3; count > 0; --count) {
                dict->items.emplace_back(std::string("k") + std::to_string(count), self(self, depth + 1));
            }
            return std::shared_ptr<const DictArgument>(std::move(dict));
        }
        }
    };
    for (int i = 0; i < 300; ++i) {
        checkRoundTrip(make(make, 0));
    }
}
