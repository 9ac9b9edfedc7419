// Scripts that PyTorch writes to run one graph again, as written by torch 2.11 without their beginning.
#include "ir/text/repro_script.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope::ir;

namespace {

const std::string scriptHead = "import torch\nfrom torch import tensor, device\n\nfrom torch.nn import *\n";

/// Written by generate_compiler_repro_string of torch/_dynamo/repro/after_aot.py for a graph with constants.
const std::string constants = scriptHead + R"(class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer('_tensor_constant0', tensor([[1., 2.],
        [3., 4.]]))
        self.register_buffer('index', tensor([0, 1]))
        self.register_buffer('big', torch.randn([3, 2], dtype=torch.float32))
        self.register_buffer('_tensor_constant1', tensor(0))
        self.w = torch.nn.Parameter(torch.randn([2, 2], dtype=torch.float32))



    def forward(self, x, n, y, l):
        _tensor_constant0 = self._tensor_constant0
        mul_tensor = torch.ops.aten.mul.Tensor(x, _tensor_constant0);  x = _tensor_constant0 = None
        index = self.index
        index_select_default = torch.ops.aten.index_select.default(mul_tensor, 0, index);  mul_tensor = index = None
        big = self.big
        mm_default = torch.ops.aten.mm.default(big, index_select_default);  big = index_select_default = None
        w = self.w
        mm_default_1 = torch.ops.aten.mm.default(mm_default, w);  mm_default = w = None
        _tensor_constant1 = self._tensor_constant1
        add_tensor = torch.ops.aten.add.Tensor(_tensor_constant1, y);  _tensor_constant1 = y = None
        full_default = torch.ops.aten.full.default([n], 1);  n = None
        return (mm_default_1, add_tensor, full_default)

def load_args(reader):
    buf0 = reader.storage(None, 24)
    reader.tensor(buf0, (2, 2), (3, 1), storage_offset=1, is_leaf=True)  # x
    reader.symint(3)  # n
    buf1 = reader.storage(None, 32, device=device(type='cuda', index=0), dtype_hint=torch.int64)
    reader.tensor(buf1, (2, 2), (1, 2), dtype=torch.int64, is_leaf=True)  # y
    reader.const('l')  # l, filtered out during compilation
load_args._version = 0
mod = Repro()
)";

std::string valueOf(const GraphPtr& graph, const char* name) {
    const auto id = graph->tryFind(name);
    REQUIRE(id.has_value());
    return valueText(graph->node(*id).value);
}

GraphPtr mustRead(const std::string& text) {
    const auto graph = parseGraphOrScript(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

} // namespace

TEST_CASE("the inputs of a script have the shapes that it gives them") {
    CHECK(looksLikeReproScript(constants));
    const GraphPtr graph = mustRead(constants);
    CHECK(graph->size() == 16);
    CHECK(valueOf(graph, "x") == "f32[2, 2][3, 1]cpu");
    CHECK(asTensor(graph->node(*graph->tryFind("x")).value)->storageOffset->integer() == 1);
    CHECK(valueOf(graph, "n") == "Sym(3)");
    CHECK(valueOf(graph, "y") == "i64[2, 2][1, 2]cuda:0");
    CHECK(valueOf(graph, "l").empty());
}

TEST_CASE("the buffers and parameters of a script have the shapes that its constructor gives them") {
    const GraphPtr graph = mustRead(constants);
    CHECK(valueOf(graph, "_tensor_constant0") == "f32[2, 2]cpu");
    CHECK(valueOf(graph, "index") == "i64[2]cpu");
    CHECK(valueOf(graph, "big") == "f32[3, 2]cpu");
    CHECK(valueOf(graph, "_tensor_constant1") == "i64[]cpu");
    CHECK(valueOf(graph, "w") == "Parameter(f32[2, 2]cpu)");
    CHECK(asTensor(graph->node(*graph->tryFind("w")).value)->isParameter);
}

TEST_CASE("sizes with symbols are the numbers at the script's head") {
    const GraphPtr graph = mustRead(R"(
s27 = 5
s77 = 7

import torch
from torch.nn import *
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()



    def forward(self, primals_1, floordiv, tangents_1, tangents_2):
        add = torch.ops.aten.add.Tensor(tangents_1, primals_1);  tangents_1 = primals_1 = None
        return (None, None, add)

def load_args(reader):
    reader.symint(7)  # primals_1
    reader.symint(3)  # floordiv
    buf0 = reader.storage(None, 4*s27*s77 - 4)
    reader.tensor(buf0, (s27*s77 - 1,), is_leaf=True)  # tangents_1
    buf1 = reader.storage(None, 4*s27 + 4*(((s77//2)) - 1)*Max(1, s27 - 1) - 4)
    reader.tensor(buf1, ((s77//2), s27 - 1), is_leaf=True)  # tangents_2
load_args._version = 0
mod = Repro()
)");
    CHECK(valueOf(graph, "primals_1") == "Sym(7)");
    CHECK(valueOf(graph, "tangents_1") == "f32[34]cpu");
    CHECK(valueOf(graph, "tangents_2") == "f32[3, 4]cpu");
}

TEST_CASE("a script of Dynamo's graph is read, and what no script could hold stays unknown") {
    const GraphPtr graph = mustRead(scriptHead + R"(class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.0 = Linear(in_features=3, out_features=4, bias=True)
        self.1 = ReLU()



    def forward(self, input, more, last):
        input_1 = input
        _0 = getattr(self, "0")(input_1);  input_1 = None
        return _0


mod = Repro()

def load_args(reader):
    buf0 = reader.storage(None, 24)
    reader.tensor(buf0, (2, 3), requires_grad=True, is_leaf=True)  # input
    # more was unsupported type for dumping: <class 'list'>
    """
    buf1 = reader.storage(None, 4)
    reader.tensor(buf1, (1,), is_leaf=True)  # more[0]
    """
    buf2 = reader.storage(None, 4)
    reader.tensor(buf2, (1,), dtype=torch.float16, is_leaf=True)  # last
load_args._version = 0
)");
    CHECK(graph->node(*graph->tryFind("_0")).op == Opcode::CallModule);
    CHECK(asTensor(graph->node(graph->placeholders()[0]).value)->requiresGrad == true);
    CHECK(valueOf(graph, "more").empty());
    CHECK(valueOf(graph, "last") == "f16[1]cpu");
}

TEST_CASE("a script without a graph, or with one that cannot be read, says so and where") {
    const auto none = parseReproScript("import torch\n");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == "ir.repro_script");
    const auto empty = parseReproScript(scriptHead + "class Repro(torch.nn.Module):\n    pass\n");
    REQUIRE_FALSE(empty.ok());
    CHECK(empty.error().code == "ir.repro_script");
    const auto wrong =
        parseReproScript(scriptHead + "class Repro(torch.nn.Module):\n    def __init__(self) -> None:\n"
                                      "        super().__init__()\n    def forward(self, x):\n"
                                      "        a = = x\n        return (a,)\n");
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.error().place.line == 9);
}

TEST_CASE("a script that ends anywhere is read or refused") {
    for (std::size_t length = 0; length < constants.size(); ++length) {
        (void)parseReproScript(constants.substr(0, length));
    }
    std::string deep = "def load_args(reader):\n    reader.tensor(" + std::string(5000, '(') + "\n";
    CHECK(mustRead(constants.substr(0, constants.find("def load_args")) + deep)->size() == 16);
}
