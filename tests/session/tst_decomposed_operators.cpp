// Which operators a backend may have decomposed, so that a logged graph is not the traced one.
#include "judge/decomposed_operators.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope;

namespace {

ir::GraphPtr graphOf(const std::string& body, const std::string& result) {
    const auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                                          "    def forward(self, x: \"f32[4, 4][4, 1]cpu\"):\n" +
                                          body + "        return (" + result + ",)\n");
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

std::string call(const std::string& name, const std::string& target, const std::string& size = "4, 4") {
    return "        " + name + ": \"f32[" + size + "]\" = torch.ops.aten." + target + "\n";
}

std::vector<std::string> decomposed(const std::string& traced, const std::string& logged) {
    return judge::operatorsThatMayBeDecomposed(*graphOf(traced, "last"), *graphOf(logged, "last"));
}

const std::string addmm = call("addmm", "addmm.default(x, x, x)");
const std::string parts = call("mm", "mm.default(x, x)") + call("addmm", "add.Tensor(mm, x)");

} // namespace

TEST_CASE("an operator that only the traced graph has may be decomposed if all other calls stay") {
    const std::string before = call("before", "sin.default(x)");
    const std::string last = call("last", "cos.default(addmm)");
    const std::vector<std::string> expected = {"aten.addmm.default"};
    CHECK(decomposed(before + addmm + last, before + parts + last) == expected);
    // A call that is missing with nothing in its place was not decomposed.
    CHECK(decomposed(before + addmm + last, addmm + last).empty());
    // Nothing is decomposed: all are there.
    CHECK(decomposed(before + parts + last, before + parts + last).empty());
}

TEST_CASE("calls in another order, with other results or too few of them are a difference") {
    const std::string sine = call("sine", "sin.default(x)");
    const std::string second = call("second", "cos.default(x)");
    const std::string last = call("last", "sin.default(addmm)");
    CHECK(decomposed(sine + second + addmm + last, second + sine + parts + last).empty());
    CHECK(decomposed(sine + addmm + last, parts + last).empty());
    CHECK(decomposed(sine + addmm + last, call("sine", "sin.default(x)", "4, 1") + parts + last).empty());
}

TEST_CASE("another overload of the operator is another call, not its decomposition") {
    const std::string last = call("last", "cos.default(round_1)");
    CHECK(decomposed(call("round_1", "round.decimals(x, decimals = 0)") + last,
                     call("round_1", "round.default(x)") + last)
              .empty());
}

TEST_CASE("a graph with other inputs or results was not made by decomposing operators") {
    const std::string last = call("last", "cos.default(addmm)");
    const auto traced = graphOf(addmm + last, "last");
    CHECK(judge::operatorsThatMayBeDecomposed(*traced, *graphOf(parts + last, "last, mm")).empty());
    CHECK(judge::operatorsThatMayBeDecomposed(*traced, *graphOf(parts + last, "last")) ==
          std::vector<std::string>{"aten.addmm.default"});
}

TEST_CASE("results that are taken out of a decomposed call go with it") {
    const std::string taken = "        topk = torch.ops.aten.topk.default(x, 4)\n"
                              "        getitem: \"f32[4, 4]\" = topk[0]\n";
    const std::string sorted = call("getitem", "sort_values.default(x)");
    const std::string last = call("last", "cos.default(getitem)");
    CHECK(decomposed(taken + last, sorted + last) == std::vector<std::string>{"aten.topk.default"});
}
