#include "kernels/node_cost.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

using namespace aotscope;
using namespace aotscope::kernels;

namespace {

/// One graph of flop_answers.txt and what PyTorch counted.
struct FlopAnswer {
    std::string target;
    double flops = 0;
    ir::SymbolBindings bindings;
    std::string text;
};

std::vector<FlopAnswer> flopAnswers() {
    std::ifstream file(AOTSCOPE_TEST_DIR "/kernels/flop_answers.txt");
    REQUIRE(file.good());
    std::vector<FlopAnswer> answers;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("=== ")) {
            std::istringstream words(line.substr(4));
            FlopAnswer& answer = answers.emplace_back();
            words >> answer.target >> answer.flops;
            for (std::string word; words >> word;) {
                const std::size_t equals = word.find('=');
                answer.bindings[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
            }
        } else {
            REQUIRE_FALSE(answers.empty());
            answers.back().text += line + "\n";
        }
    }
    return answers;
}

/// The only node of that operator.
ir::NodeId nodeOf(const ir::Graph& graph, std::string_view target) {
    std::optional<ir::NodeId> found;
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).target == target) {
            CHECK_FALSE(found.has_value());
            found = id;
        }
    }
    REQUIRE_MESSAGE(found.has_value(), std::string(target));
    return *found;
}

/// The cost of the call that computes `out` in a graph with these placeholders.
NodeCost costOf(const std::string& placeholders, const std::string& out, const std::string& call,
                const ir::SymbolBindings& bindings = {}) {
    const std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self, " + placeholders +
                             "):\n        out" + (out.empty() ? "" : ": \"" + out + "\"") + " = " + call +
                             "\n        return (out,)\n";
    const auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    const auto id = (*graph)->tryFind("out");
    REQUIRE(id.has_value());
    return nodeCost(**graph, *id, bindings);
}

} // namespace

TEST_CASE("operations of products, convolutions and attention are those that PyTorch counts") {
    std::size_t withSymbols = 0;
    const std::vector<FlopAnswer> answers = flopAnswers();
    CHECK(answers.size() >= 38);
    for (const FlopAnswer& answer : answers) {
        CAPTURE(answer.text);
        const auto graph = ir::parseGraphText(answer.text);
        REQUIRE_MESSAGE(graph.ok(), graph.error().text());
        const NodeCost cost = nodeCost(**graph, nodeOf(**graph, answer.target), answer.bindings);
        CHECK(cost.flops == answer.flops);
        CHECK(cost.isKnown);
        CHECK((cost.kind == CostKind::Matrix) == (answer.flops > 0));
        withSymbols += answer.bindings.empty() ? 0 : 1;
    }
    CHECK(withSymbols >= 8);
}

TEST_CASE("bytes are those of each tensor once") {
    const std::string two = "a: \"f32[64, 32][32, 1]cpu\", b: \"f32[32][1]cpu\"";
    const NodeCost add = costOf(two, "f32[64, 32][32, 1]cpu", "torch.ops.aten.add.Tensor(a, b)");
    CHECK(add.kind == CostKind::Pointwise);
    CHECK(add.bytesRead == 64 * 32 * 4 + 32 * 4);
    CHECK(add.bytesWritten == 64 * 32 * 4);
    CHECK(add.elementOperations == 64 * 32);
    CHECK(add.flops == 0);
    const NodeCost square = costOf(two, "f32[64, 32][32, 1]cpu", "torch.ops.aten.mul.Tensor(a, a)");
    CHECK(square.bytesRead == 64 * 32 * 4);
    const NodeCost expanded = costOf("a: \"f32[64, 32][32, 1]cpu\", b: \"f32[64, 32][0, 1]cpu\"",
                                     "f32[64, 32][32, 1]cpu", "torch.ops.aten.mul.Tensor(a, b)");
    CHECK(expanded.bytesRead == 64 * 32 * 4 + 32 * 4);
    const NodeCost narrow = costOf("a: \"f32[64, 32][32, 1]cpu\"", "bf16[64, 32][32, 1]cpu",
                                   "torch.ops.prims.convert_element_type.default(a, torch.bfloat16)");
    CHECK(narrow.kind == CostKind::Copy);
    CHECK(narrow.bytesRead + narrow.bytesWritten == 64 * 32 * (4 + 2));
    const NodeCost sum = costOf(two, "f32[64][1]cpu", "torch.ops.aten.sum.dim_IntList(a, [1])");
    CHECK(sum.kind == CostKind::Reduction);
    CHECK(sum.bytesWritten == 64 * 4);
    CHECK(sum.elementOperations == 64 * 32);
    const NodeCost mm = costOf("a: \"bf16[8, 16][16, 1]cpu\", b: \"bf16[16, 4][4, 1]cpu\"",
                               "bf16[8, 4][4, 1]cpu", "torch.ops.aten.mm.default(a, b)");
    CHECK(mm.bytesRead == (8 * 16 + 16 * 4) * 2);
    CHECK(mm.bytesWritten == 8 * 4 * 2);
    CHECK(mm.dtype == ir::DType::BFloat16);
}

TEST_CASE("tables that are looked up, tensors that are written, and tensors that are made") {
    const NodeCost embedding =
        costOf("w: \"f32[50000, 64][64, 1]cpu\", i: \"i64[2, 8][8, 1]cpu\"", "f32[2, 8, 64][512, 64, 1]cpu",
               "torch.ops.aten.embedding.default(w, i)");
    CHECK(embedding.bytesRead == 2 * 8 * 64 * 4 + 2 * 8 * 8);
    CHECK(embedding.bytesWritten == 2 * 8 * 64 * 4);
    const std::string two = "a: \"f32[64][1]cpu\", b: \"f32[64][1]cpu\"";
    const NodeCost copy = costOf(two, "f32[64][1]cpu", "torch.ops.aten.copy_.default(a, b)");
    CHECK(copy.bytesRead == 64 * 4);
    CHECK(copy.bytesWritten == 64 * 4);
    const NodeCost inPlace = costOf(two, "f32[64][1]cpu", "torch.ops.aten.add_.Tensor(a, b)");
    CHECK(inPlace.bytesRead == 2 * 64 * 4);
    CHECK(inPlace.bytesWritten == 64 * 4);
    const NodeCost zeros = costOf(two, "f32[64][1]cpu", "torch.ops.aten.zeros_like.default(a)");
    CHECK(zeros.bytesRead == 0);
    CHECK(zeros.bytesWritten == 64 * 4);
}

TEST_CASE("views, elements and empty tensors cost nothing") {
    const std::string one = "a: \"f32[64, 32][32, 1]cpu\"";
    for (const char* call :
         {"torch.ops.aten.view.default(a, [32, 64])", "torch.ops.aten.t.default(a)",
          "torch.ops.aten.permute.default(a, [1, 0])", "torch.ops.aten.expand.default(a, [4, 64, 32])",
          "torch.ops.aten.slice.Tensor(a, 0, 0, 5)", "torch.ops.aten.select.int(a, 0, 5)",
          "torch.ops.aten.unsqueeze.default(a, 0)", "torch.ops.aten.detach.default(a)",
          "torch.ops.aten.alias.default(a)", "torch.ops.aten._unsafe_view.default(a, [32, 64])",
          "torch.ops.aten.as_strided.default(a, [3], [1])", "torch.ops.aten.empty_like.default(a)"}) {
        const NodeCost cost = costOf(one, "f32[32, 64][64, 1]cpu", call);
        CHECK_MESSAGE(cost.kind == CostKind::Nothing, call);
        CHECK(cost.bytesRead + cost.bytesWritten + cost.flops == 0);
        CHECK(cost.isKnown);
    }
}

TEST_CASE("sizes come from the bindings, and what is not known is said") {
    const std::string one = "s0: \"Sym(s0)\", a: \"f32[s0, 32][32, 1]cpu\"";
    const NodeCost relu =
        costOf(one, "f32[s0, 32][32, 1]cpu", "torch.ops.aten.relu.default(a)", {{"s0", 10}});
    CHECK(relu.isKnown);
    CHECK(relu.bytesRead == 10 * 32 * 4);
    const NodeCost unbound = costOf(one, "f32[s0, 32][32, 1]cpu", "torch.ops.aten.relu.default(a)");
    CHECK_FALSE(unbound.isKnown);
    CHECK(unbound.note.find("s0") != std::string::npos);
    const NodeCost custom =
        costOf("a: \"f32[64][1]cpu\"", "f32[64][1]cpu", "torch.ops.mylib.thing.default(a)");
    CHECK(custom.kind == CostKind::Other);
    CHECK_FALSE(custom.isKnown);
    CHECK(custom.note.find("mylib.thing.default") != std::string::npos);
    CHECK(custom.bytesRead == 64 * 4);
}
