// Programs of the CPU as Dynamo would have captured them on a GPU, as text.
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/move_program.h"

#include <doctest/doctest.h>

#include <string>

using namespace aotscope;

namespace {

std::string movedText(const std::string& body) {
    const auto graph = ir::parseGraphText(
        "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[8][1]cpu\"):\n" + body +
        "        return (y,)\n");
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    const std::string text = ir::printGraph(*passes::movedProgram(**graph, {"cuda", 0})).text;
    const std::size_t begin = text.find(" y = ");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin + 1, text.find_first_of(";\n", begin) - begin - 1);
}

} // namespace

TEST_CASE("a device that a call names becomes the other one, in lists too") {
    CHECK(movedText("        y = torch.zeros(8, device = device(type='cpu'))\n") ==
          "y = torch.zeros(8, device = device(type='cuda', index=0))");
    CHECK(movedText("        y = x.to(device(type='cpu'), torch.float64)\n") ==
          "y = x.to(device(type='cuda', index=0), torch.float64)");
    CHECK(movedText("        y = some_function([x, device(type='cpu')])\n") ==
          "y = some_function([x, device(type='cuda', index=0)])");
}

TEST_CASE("a device's name becomes the other one's, where a call takes one") {
    CHECK(movedText("        y = x.to('cpu')\n") == "y = x.to('cuda')");
    CHECK(movedText(
              "        y = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)\n") ==
          "y = torch.amp.autocast_mode._enter_autocast('cuda', torch.bfloat16, True, None)");
    CHECK(movedText("        y = x.cpu()\n") == "y = x.to(device(type='cuda', index=0))");
}

TEST_CASE("what makes a tensor from numbers alone and names no device is told where") {
    CHECK(movedText("        y = torch.arange(0, 8, dtype = torch.int64)\n") ==
          "y = torch.arange(0, 8, dtype = torch.int64, device = device(type='cuda', index=0))");
    CHECK(movedText("        y = torch.tensor(1.5, device = None)\n") ==
          "y = torch.tensor(1.5, device = device(type='cuda', index=0))");
    CHECK(movedText("        y = torch.zeros_like(x)\n") == "y = torch.zeros_like(x)");
    CHECK(movedText("        y = torch.sin(x)\n") == "y = torch.sin(x)");
}

TEST_CASE("what lies elsewhere stays there") {
    CHECK(movedText("        y = torch.zeros(8, device = device(type='meta'))\n") ==
          "y = torch.zeros(8, device = device(type='meta'))");
}
