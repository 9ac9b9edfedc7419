// What the halves of a partition show by themselves: random operators that are computed again, and saved
// values that the caller gets too.
#include "passes/graph_warnings.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope;

namespace {

ir::GraphPtr parsed(const std::string& inputs, const std::string& body) {
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                                    "    def forward(self, " +
                                    inputs + "):\n" + body);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

const std::string input = "primals_1: \"f32[4][1]cpu\"";
const std::string saved = "tangents_1: \"f32[4][1]cpu\"";

std::string line(const std::string& name, const std::string& call) {
    return "        " + name + ": \"f32[4][1]cpu\" = torch.ops.aten." + call + "\n";
}

std::vector<std::string> codes(const ir::GraphPtr& forward, const ir::GraphPtr& backward,
                               std::size_t outputs = 1) {
    std::vector<std::string> found;
    for (const passes::GraphWarning& warning :
         passes::warningsOfHalves(*forward, *backward, outputs, passes::PartitionRules())) {
        found.push_back(warning.code + " " + warning.nodes.front());
    }
    return found;
}

} // namespace

TEST_CASE("a random operator in both halves is an error, one of each half is none") {
    const std::string noise =
        line("rand_like", "rand_like.default(primals_1)") + line("mul", "mul.Tensor(primals_1, rand_like)");
    const auto forward = parsed(input, noise + "        return (mul, primals_1)\n");
    const auto again = parsed(input + ", " + saved, noise + line("mul_1", "mul.Tensor(mul, tangents_1)") +
                                                        "        return (mul_1,)\n");
    CHECK(codes(forward, again) == std::vector<std::string>{"random.recomputed rand_like"});
    const auto others =
        parsed(input + ", " + saved, line("rand_like_1", "rand_like.default(tangents_1)") +
                                         line("mul_1", "mul.Tensor(rand_like_1, tangents_1)") +
                                         "        return (mul_1,)\n");
    CHECK(codes(forward, others).empty());
}

TEST_CASE("a random operator that runs with the saved state of the generator is no error") {
    const std::string noise =
        line("rand_like", "rand_like.default(primals_1)") + line("mul", "mul.Tensor(primals_1, rand_like)");
    const auto forward = parsed(input, noise + "        return (mul, primals_1)\n");
    const auto restored =
        parsed(input + ", rng_state_output_0: \"u8[5056][1]cpu\", " + saved,
               "        run_with_rng_state: \"f32[4][1]cpu\" = torch.ops.higher_order.run_with_rng_state("
               "rng_state_output_0, torch.ops.aten.rand_like.default, primals_1)\n" +
                   line("mul_1", "mul.Tensor(run_with_rng_state, tangents_1)") + "        return (mul_1,)\n");
    CHECK(codes(forward, restored).empty());
}

TEST_CASE("a saved value that is an output, or shares its memory, is noted") {
    const auto backward = parsed(saved, "        return (tangents_1,)\n");
    const std::string sine = line("sin", "sin.default(primals_1)");
    CHECK(codes(parsed(input, sine + "        return (sin, sin)\n"), backward) ==
          std::vector<std::string>{"saved.is_output sin"});
    CHECK(codes(parsed(input, sine + line("view", "view.default(sin, [4])") + "        return (view, sin)\n"),
                backward) == std::vector<std::string>{"saved.is_output sin"});
    CHECK(
        codes(parsed(input, sine + line("cos", "cos.default(sin)") + "        return (cos, sin)\n"), backward)
            .empty());
    // Writing to an input is the same in eager mode.
    CHECK(codes(parsed(input, "        return (primals_1, primals_1)\n"), backward).empty());
}
