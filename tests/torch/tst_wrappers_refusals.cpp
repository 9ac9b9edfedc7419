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
    CHECK(test::writesToSaved(plainProduct())
              .find("one of the variables needed for gradient computation has been modified by an inplace "
                    "operation") == 0);
}

TEST_CASE("determinism that was off at the forward is refused at the backward") {
    CHECK(test::deterministicBackward(plainProduct())
              .find("This compiled backward function is being run with "
                    "torch.use_deterministic_algorithms(True)") == 0);
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
