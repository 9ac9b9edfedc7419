#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope::ir;
using aotscope::base::Error;
using aotscope::base::Result;

namespace {

const std::string head = "class GraphModule(torch.nn.Module):\n"
                         "    def forward(self, x: \"f32[2][1]cpu\"):\n";

Error errorOf(const std::string& text) {
    const Result<GraphPtr> graph = parseGraphText(text);
    REQUIRE_FALSE(graph.ok());
    return graph.error();
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        out += text;
    }
    return out;
}

} // namespace

TEST_CASE("text that cannot be read is reported with line, column, reason and the text itself") {
    struct Row {
        std::string text;
        std::size_t line;
        std::size_t column;
        std::string message;
        std::string excerpt;
    };
    const std::vector<Row> rows{
        {"", 1, 1, "the text ends before a graph begins", ""},
        {"hello\n", 1, 1, "expected 'class NAME(torch.nn.Module):' or 'graph():'", "hello"},
        {"class A(torch.nn.Module):\n    x = 1\n", 2, 5, "expected 'def ' before the function's name",
         "    x = 1"},
        {"class A(torch.nn.Module):\n    def forward(self, 1):\n", 2, 23, "expected a parameter's name",
         "    def forward(self, 1):"},
        {"class A(torch.nn.Module):\n    def forward(self, x: \"f32[2\n", 2, 27,
         "an annotation is not closed", "    def forward(self, x: \"f32[2"},
        {head + "        a = torch.ops.aten.f(x\n", 3, 29, "a bracket is not closed",
         "        a = torch.ops.aten.f(x"},
        {head + "        a = torch.ops.aten.f(x, [1, 2)\n", 3, 38, "expected ',' or ']'",
         "        a = torch.ops.aten.f(x, [1, 2)"},
        {head + "        a = torch.ops.aten.f(x) + 1\n", 3, 33, "unexpected text after the statement",
         "        a = torch.ops.aten.f(x) + 1"},
        {head + "        a = lambda\n", 3, 13, "expected a call, an operator, an attribute or a subscript",
         "        a = lambda"},
        {head + "        a: \"f32[2]\" == x\n", 3, 20, "expected ' = ' after the name",
         "        a: \"f32[2]\" == x"},
        {head + "        x + 1\n", 3, 9, "expected a statement", "        x + 1"},
        {head + "        a = torch.ops.aten.f('abc)\n", 3, 30, "a string is not closed",
         "        a = torch.ops.aten.f('abc)"},
        {head + "        return (x,)\n        return (x,)\n", 4, 9, "a statement after 'return'",
         "        return (x,)"},
        {head + "        return\n", 3, 15, "expected a value after 'return'", "        return"},
        {head + "        return (x,)\nclass B(torch.nn.Module):\n", 4, 1,
         "a second graph begins; open each of them by itself", "class B(torch.nn.Module):"},
        {head + "        return (x,)\nrest\n", 4, 1, "unexpected text after the graph", "rest"},
        {"graph():\n    %x : [num_users=0] = thing[target=x]\n", 2, 26, "'thing' is not a kind of node",
         "    %x : [num_users=0] = thing[target=x]"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const Error error = errorOf(row.text);
        CHECK(error.code == "ir.text_syntax");
        CHECK(error.place.line == row.line);
        CHECK(error.place.column == row.column);
        CHECK(error.message == "The graph text cannot be read: " + row.message + ".");
        REQUIRE(error.notes.size() == 1);
        CHECK(error.notes[0] == "at: " + row.excerpt);
    }
}

TEST_CASE("bombs of nesting are refused, not followed") {
    for (const char* bracket : {"[", "(", "{'a': ", "slice("}) {
        CAPTURE(bracket);
        CHECK(errorOf(head + "        a = torch.ops.aten.f(" + repeated(bracket, 100'000) + "\n").code ==
              "ir.text_too_deep");
    }
    CHECK(errorOf(head + "        a = " + repeated("getattr(", 100'000) + "\n").code == "ir.text_too_deep");
    std::string classes;
    for (std::size_t depth = 0; depth < 300; ++depth) {
        const std::string indent(depth * 4, ' ');
        classes += indent + "class A(torch.nn.Module):\n" + indent + "    def forward(self):\n" + indent +
                   "        return ()\n";
    }
    CHECK(errorOf(classes).code == "ir.text_too_deep");
}

TEST_CASE("an excerpt of a gigantic line stays short and holds the place") {
    const Error error = errorOf(head + "        a = torch.ops.aten.f(" + repeated("1, ", 300'000) + "'\n");
    CHECK(error.place.column > 900'000);
    REQUIRE(error.notes.size() == 1);
    CHECK(error.notes[0].size() < 200);
    CHECK(error.notes[0].find("1, '") != std::string::npos);
}

TEST_CASE("reading stops when asked to") {
    std::stop_source stop;
    stop.request_stop();
    const Result<GraphPtr> graph =
        parseGraphText(head + "        return (x,)\n", aotscope::base::Progress(nullptr, stop.get_token()));
    REQUIRE_FALSE(graph.ok());
    CHECK(aotscope::base::isCanceled(graph.error()));
}

TEST_CASE("what is cut off in the middle of a line is an error, at its end a graph without output") {
    const std::string text = head + "        a = torch.ops.aten.sin.default(x)\n        return (a,)\n";
    int complete = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
        const Result<GraphPtr> graph = parseGraphText(text.substr(0, length));
        complete += graph.ok() && !(*graph)->output() ? 1 : 0;
    }
    CHECK(complete > 2);
    CHECK(parseGraphText(text).value()->output().has_value());
}
