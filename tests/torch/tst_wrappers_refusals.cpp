#include "wrapper_check.h"
#include "wrapper_support.h"

using namespace aotscope;
using test::matrix;

namespace {

/// sin(x * w) * w: the default partitioner saves an intermediate result, which the backward may overwrite.
aot::CompiledFunction donating() {
    return test::compiled("x" + matrix + ", w" + matrix,
                          "        m = x * w\n        s = m.sin()\n        e = s.exp()\n        o = e * w\n"
                          "        return (o,)\n",
                          {test::plain(), test::leaf()}, {.partitioner = passes::Partitioner::Default})
        .function();
}

/// x * w: the backward reads inputs alone.
aot::CompiledFunction plainProduct() {
    return test::compiled("x" + matrix + ", w" + matrix, "        m = x * w\n        return (m,)\n",
                          {test::plain(), test::leaf()})
        .function();
}

constexpr const char* modifiedInPlace =
    "one of the variables needed for gradient computation has been modified by an inplace operation";

} // namespace

TEST_CASE("a freed graph is refused in autograd's words") {
    CHECK(test::backwardTwice(donating()).find("Trying to backward through the graph a second time") == 0);
    CHECK(test::backwardTwice(plainProduct()).find("Trying to backward through the graph a second time") ==
          0);
}

TEST_CASE("retain_graph is refused where the backward overwrites donated buffers, in PyTorch's words") {
    const std::string message =
        "This backward function was compiled with non-empty donated buffers which requires "
        "create_graph=False and retain_graph=False.";
    CHECK(test::retainsGraph(donating(), false).find(message) == 0);
    // Compiled for a caller who retains the graph, it donates nothing.
    CHECK(test::retainsGraph(donating(), true).empty());
    CHECK(test::retainsGraph(plainProduct(), false).empty());
    CHECK(test::retainedDifference(plainProduct()) == 0);
    CHECK(test::retainedDifference(donating()) == 0);
}

TEST_CASE("double backward is refused in PyTorch's words") {
    CHECK(test::doubleBackward(plainProduct()) ==
          "torch.compile with aot_autograd does not currently support double backward");
}

TEST_CASE("a write to a saved tensor between forward and backward is noticed by its version") {
    CHECK(test::writesToSaved(plainProduct()).find(modifiedInPlace) == 0);
}

// As torch 2.11 and 2.15 do with these programs, aot_function, default_partition and compilers that do
// nothing.
TEST_CASE("a write is noticed at saved views of what was written to, and not at parts of a hidden result") {
    const auto product = [](const std::string& lines) {
        return test::compiled("x" + matrix + ", w" + matrix, lines, {test::plain(), test::leaf()},
                              {.partitioner = passes::Partitioner::Default})
            .function();
    };
    CHECK(test::writesToSaved(product("        t = x.t()\n        r = t.reshape(3, 4)\n        m = r * w\n"
                                      "        return (m,)\n"))
              .empty());
    CHECK(
        test::writesToSaved(product("        v = x.view(4, 3)\n        u = w.view(4, 3)\n        m = v * u\n"
                                    "        return (m,)\n"))
            .find(modifiedInPlace) == 0);
    CHECK(test::writesToSaved(product("        s = x.select(0, 0)\n        m = s * w\n        return (m,)\n"))
              .find(modifiedInPlace) == 0);
    CHECK(test::writesToResult(product("        p = x * w\n        m = p.exp()\n        v = m.view(4, 3)\n"
                                       "        u = w.view(4, 3)\n        o = v * u\n"
                                       "        return (m, o)\n"))
              .find(modifiedInPlace) == 0);
    CHECK(test::writesToResult(product("        p = x * w\n        m = p.exp()\n        parts = m.split(1)\n"
                                       "        a = parts[0]\n        b = parts[1]\n        o = b * w\n"
                                       "        return (a, o)\n"))
              .empty());
}

TEST_CASE("determinism that was off at the forward is refused at the backward") {
    CHECK(test::deterministicBackward(plainProduct())
              .find("This compiled backward function is being run with "
                    "torch.use_deterministic_algorithms(True)") == 0);
}

TEST_CASE("a backward that cannot be compiled ahead is tried again at its call, unless the GPU is lost") {
    CHECK(test::compiledAhead("run.too_large") == "noted: It is gone.");
    CHECK(test::compiledAhead("cuda.lost") == "thrown: It is gone.");
}

TEST_CASE("a boxed call empties the caller's list and frees inputs inside") {
    const aot::CompiledFunction function =
        test::compiled("x" + matrix + ", w" + matrix,
                       "        a = x.sin()\n        b = a * w\n        c = b.cos()\n        return (c,)\n",
                       {test::plain(), test::plain()})
            .function();
    CHECK(test::freesInputsInside(function));
}

TEST_CASE("a gradient goes to the leaf of its call, whatever leaves came before and were freed") {
    const aot::CompiledFunction product = plainProduct();
    for (const char* order : {"aaaa", "ababab", "aabbaabb", "aAbBcCdD", "aaAbbBccC", "aaaAbAcabcabc"}) {
        CAPTURE(order);
        CHECK(test::gradientErrorOfChangingLeaves(product, order) == 0);
    }
    CHECK(test::gradientErrorAfterNewData(product) == 0);
}

TEST_CASE("a leaf outlives its calls at most until another tensor comes in its place") {
    CHECK_FALSE(test::leafOutlivesCalls(plainProduct(), 1));
    CHECK_FALSE(test::leafOutlivesCalls(plainProduct(), 3));
}
