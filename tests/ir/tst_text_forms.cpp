#include "ir/last_uses.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/sections.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope::ir;
using aotscope::base::Result;

namespace {

std::string graphWith(const std::string& lines) {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, x: \"f32[2][1]cpu\", y: \"f32[2][1]cpu\"):\n" +
           lines + "        return (a,)\n";
}

GraphPtr mustParse(const std::string& text) {
    const Result<GraphPtr> graph = parseGraphText(text);
    if (!graph) {
        FAIL(graph.error().text());
    }
    return *graph;
}

} // namespace

TEST_CASE("every form of statement is read as the node FX printed and printed again") {
    struct Row {
        const char* line;
        Opcode op;
        const char* target;
        std::vector<const char*> args;
    };
    const std::vector<Row> rows{
        {"a = torch.ops.aten.mm.default(x, y)", Opcode::CallFunction, "aten.mm.default", {"x", "y"}},
        {"a = torch.nn.functional.relu(x)", Opcode::CallFunction, "torch.nn.functional.relu", {"x"}},
        {"a = torch__dynamo_utils_wrap(x)", Opcode::CallFunction, "torch__dynamo_utils_wrap", {"x"}},
        {"a = math_sqrt(x)", Opcode::CallFunction, "math.sqrt", {"x"}},
        {"a = _operator_not_(x)", Opcode::CallFunction, "_operator.not_", {"x"}},
        {"a = x.view(-1, 2)", Opcode::CallMethod, "view", {"x", "-1", "2"}},
        {"a = x.shape", Opcode::CallFunction, "getattr", {"x", "'shape'"}},
        {"a = getattr(x, 'odd name', None)", Opcode::CallFunction, "getattr", {"x", "'odd name'", "None"}},
        {"a = x + y", Opcode::CallFunction, "_operator.add", {"x", "y"}},
        {"a = 0.5 * x", Opcode::CallFunction, "_operator.mul", {"0.5", "x"}},
        {"a = x // 2", Opcode::CallFunction, "_operator.floordiv", {"x", "2"}},
        {"a = x - 9223372036854775808", Opcode::CallFunction, "_operator.sub", {"x", "9223372036854775808"}},
        {"a = x ** -1", Opcode::CallFunction, "_operator.pow", {"x", "-1"}},
        {"a = x >= 0", Opcode::CallFunction, "_operator.ge", {"x", "0"}},
        {"a = x @ y", Opcode::CallFunction, "_operator.matmul", {"x", "y"}},
        {"a = -x", Opcode::CallFunction, "_operator.neg", {"x"}},
        {"a = ~x", Opcode::CallFunction, "_operator.invert", {"x"}},
        {"a = x[0]", Opcode::CallFunction, "_operator.getitem", {"x", "0"}},
        {"a = x[(slice(None, None, None), None)]",
         Opcode::CallFunction,
         "_operator.getitem",
         {"x", "(slice(None, None, None), None)"}},
        {"x += y;  a = x", Opcode::CallFunction, "_operator.iadd", {"x", "y"}},
        {"x **= 2;  a = x", Opcode::CallFunction, "_operator.ipow", {"x", "2"}},
        {"x[(y, 0)] = 1.0;  a = x", Opcode::CallFunction, "_operator.setitem", {"x", "(y, 0)", "1.0"}},
        {"a = self.true_graph_0", Opcode::GetAttr, "true_graph_0", {}},
        {"a = self.fc1.weight", Opcode::GetAttr, "fc1.weight", {}},
        {"a = getattr(self.layers, \"0\").weight", Opcode::GetAttr, "layers.0.weight", {}},
        {"a = self.L__self___fc(x)", Opcode::CallModule, "L__self___fc", {"x"}},
        {"a = getattr(getattr(self.layers, \"0\").blocks, \"1\")(x, scale = 2)",
         Opcode::CallModule,
         "layers.0.blocks.1",
         {"x"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const GraphPtr graph = mustParse(graphWith("        " + std::string(row.line) + "\n"));
        const std::optional<NodeId> id = graph->tryFind("a");
        REQUIRE(id.has_value());
        const Node& node = graph->node(*id);
        CHECK(node.op == row.op);
        CHECK(node.target == row.target);
        REQUIRE(node.args.size() == row.args.size());
        for (std::size_t i = 0; i < row.args.size(); ++i) {
            CHECK(argumentText(*graph, node.args[i]) == row.args[i]);
        }
        CHECK(printGraph(*graph).text.find("        " + std::string(row.line)) != std::string::npos);
    }
}

TEST_CASE("a comment tells file, line, function, code, recomputation and annotation") {
    const GraphPtr graph = mustParse(graphWith("        # Annotation: {'call_id': 2} ac_graph_id: 3 - "
                                               "PREFER_RECOMPUTE Backward of forward node: File: "
                                               "/a in b/m.py:12 in forward, code: y = f(x), code: 1\n"
                                               "        a = x + y;  x = y = None\n"));
    const Node& node = graph->node(*graph->tryFind("a"));
    REQUIRE(node.origin != nullptr);
    REQUIRE(node.origin->source.has_value());
    CHECK(node.origin->source->file == "/a in b/m.py");
    CHECK(node.origin->source->line == 12);
    CHECK(node.origin->source->function == "forward");
    CHECK(node.origin->source->code == "y = f(x), code: 1");
    CHECK(node.origin->annotation == "{'call_id': 2}");
    CHECK(node.origin->acGraphId == 3);
    CHECK(node.origin->recompute == "PREFER_RECOMPUTE");
    CHECK(node.origin->backwardOfForward);
    CHECK(mustParse(graphWith("        # anything at all\n        a = x + y\n"))
              ->node(NodeId(2))
              .origin->other == "anything at all");
}

TEST_CASE("values are set to None after their last use, in the order of their use") {
    const std::string text = "class GraphModule(torch.nn.Module):\n"
                             "    def forward(self, x: \"f32[2][1]cpu\", y: \"f32[2][1]cpu\"):\n"
                             "        b = torch.ops.aten.add.Tensor(x, y);  x = None\n"
                             "        c = torch.ops.aten.add.Tensor(y, b);  c = None\n"
                             "        a = torch.ops.aten.mul.Tensor(b, y);  b = y = None\n"
                             "        return (a,)\n";
    const GraphPtr graph = mustParse(text);
    CHECK(printGraph(*graph).text == text);
    const LastUses lastUses(*graph);
    CHECK(lastUses.endingAt(*graph->tryFind("a")).size() == 2);
    CHECK(lastUses.endingAt(*graph->tryFind("c"))[0] == *graph->tryFind("c"));
}

TEST_CASE("canonical text does not depend on names, comments or deletions") {
    const GraphPtr left = mustParse("class A(torch.nn.Module):\n"
                                    "    def forward(self, p: \"f32[2][1]cpu\"):\n"
                                    "        # File: a.py:1 in f, code: g()\n"
                                    "        q = torch.ops.aten.sin.default(p);  p = None\n"
                                    "        return (q,)\n");
    const GraphPtr right = mustParse("class B(torch.nn.Module):\n"
                                     "    def forward(self, primals_1: \"f32[2][1]cpu\"):\n"
                                     "        sin = torch.ops.aten.sin.default(primals_1)\n"
                                     "        return (sin,)\n");
    CHECK(printGraph(*left, PrintMode::Canonical).text == printGraph(*right, PrintMode::Canonical).text);
    CHECK(printGraph(*left).text != printGraph(*right).text);
    CHECK_FALSE(equalGraphs(*left, *right));
}

TEST_CASE("the graphs of a text with several graphs are found with their names") {
    const std::string one =
        "class <lambda>(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n"
        "    class inner(torch.nn.Module):\n        def forward(self):\n            return ()\n";
    const std::string text =
        "fw pack x:" + one + "mode:all\nnames:['a']\nbw:graph():\n    return None\n# two\n" + one;
    const std::vector<NamedGraphText> found = splitGraphSections(text);
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == "fw pack x");
    CHECK(found[0].text == one);
    CHECK(found[0].line == 0);
    CHECK(found[1].name == "bw");
    CHECK(found[1].text.starts_with("graph():\n    return None\n"));
    CHECK(found[2].name.empty());
    CHECK(found[2].text == one);
    CHECK(parseGraphText(found[2].text).value()->subgraphs().size() == 1);
    CHECK(splitGraphSections("no graph\nhere\n").empty());
}

TEST_CASE("a function without its class is a graph, and is printed so") {
    // GraphModule.code of a module whose call of `len` is wrapped.
    const std::string code = "\nwrap('len')\n\ndef forward(self, x, *args):\n"
                             "    len_1 = len(args);  args = None\n"
                             "    add = x + len_1;  x = len_1 = None\n"
                             "    return (add,)\n    ";
    const GraphPtr graph = mustParse(code);
    CHECK(graph->size() == 5);
    CHECK(printGraph(*graph).text + "    " == code);
    CHECK(printGraph(*graph).lineOfNode[graph->tryFind("add")->index()] == 5);
    CHECK_FALSE(parseGraphText(code + "\nx = 1\n").ok());
}

TEST_CASE("what was traced up to a failure is a graph without an output") {
    // The artifact make_fx_fail_partial of torch 2.11.
    const std::string partial = R"(


def forward(self, primals, tangents):
    primals_1: "b8[][]cpu"; primals_2: "f32[4, 4][4, 1]cpu"; tangents_1: "f32[4, 4][4, 1]cpu"; 

    primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
    # File: /m.py:37 in f, code: return torch.cond(p, t, lambda a: a.relu() + w.sum(), (x,))
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = torch.ops.higher_order.cond(primals_1, true_graph_0, false_graph_0, (primals_2, tangents_1));  primals_1 = true_graph_0 = false_graph_0 = primals_2 = tangents_1 = None
    getitem: "f32[4, 4][4, 1]cpu" = cond[0];  cond = getitem = None
)";
    const GraphPtr graph = mustParse(partial);
    CHECK(graph->placeholders().size() == 3);
    CHECK_FALSE(graph->output().has_value());
    CHECK(printGraph(*graph).text == partial);
}

TEST_CASE("a printed module is read, and printed as it was") {
    const std::string text = "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): "
                             "ReLU()\n)\n\n\n\ndef forward(self, input):\n"
                             "    input_1 = input\n"
                             "    _0 = getattr(self, \"0\")(input_1);  input_1 = None\n"
                             "    _1 = getattr(self, \"1\")(_0);  _0 = None\n"
                             "    return _1\n    \n"
                             "# To see more debug info, please use `graph_module.print_readable()`";
    CHECK(looksLikeGraphText(text));
    const GraphPtr graph = mustParse(text);
    CHECK(graph->node(*graph->tryFind("_0")).op == Opcode::CallModule);
    CHECK(printGraph(*graph).text == text);
    CHECK_FALSE(looksLikeGraphText("Traceback (most recent call last):\n"));
    CHECK_FALSE(looksLikeGraphText("main()\n"));
}

TEST_CASE("the colours of a terminal are left out") {
    const std::string plain =
        graphWith("        # File: /m.py:2 in f, code: x + 1\n"
                  "        a: \"f32[2][1]cpu\" = torch.ops.aten.mul.Tensor(x, 1);  x = None\n");
    std::string colored = plain;
    for (const auto& [word, code] : {std::pair{"# File: /m.py:2 in f, code: x + 1", "\x1b[2m"},
                                     {"f32[2]", "\x1b[31m"},
                                     {"[1]cpu\" =", "\x1b[2m\x1b[34m"},
                                     {"x = None", "\x1b[2m"}}) {
        colored.insert(colored.find(word) + std::string(word).size(), "\x1b[0m");
        colored.insert(colored.find(word), code);
    }
    CHECK(looksLikeGraphText(colored));
    CHECK(equalGraphs(*mustParse(colored), *mustParse(plain)));
}

TEST_CASE("the form with percent signs holds texts as they are, and slices as Python writes them") {
    const std::string text =
        "graph():\n"
        "    %x : [num_users=3] = placeholder[target=x]\n"
        "    %n : [num_users=1] = call_function[target=operator.floordiv](args = (%x, 2), kwargs = {})\n"
        "    %item : [num_users=1] = call_function[target=operator.getitem](args = (%x, slice(None, n, "
        "None)), "
        "kwargs = {})\n"
        "    %tag : [num_users=0] = call_function[target=torch.ops.swq.tag.default](args = (%x, a\nb\tc;  d "
        "= "
        "\"None\"), kwargs = {})\n"
        "    return (item,)\n";
    const GraphPtr graph = mustParse(text);
    CHECK(printGraph(*graph).text == text);
    CHECK(graph->users(*graph->tryFind("n")).size() == 1);
    const Argument& tag = graph->node(*graph->tryFind("tag")).args[1];
    REQUIRE(tag.as<std::string>() != nullptr);
    CHECK(*tag.as<std::string>() == "a\nb\tc;  d = \"None\"");
}

TEST_CASE("a text that holds a graph looks like one and a script does not") {
    CHECK(looksLikeGraphText(" # graph id: 1class GraphModule(torch.nn.Module):\n"));
    CHECK(looksLikeGraphText("ExportedProgram:\n    class GraphModule(torch.nn.Module):\n"));
    CHECK(looksLikeGraphText("graph():\n"));
    CHECK(looksLikeGraphText("\n\n\ndef forward(self, x):\n"));
    CHECK_FALSE(looksLikeGraphText("import torch\ndef forward(self, x):\n"));
    CHECK_FALSE(looksLikeGraphText("import torch\nclass Repro(torch.nn.Module):\n"));
    CHECK_FALSE(looksLikeGraphText(""));
}
