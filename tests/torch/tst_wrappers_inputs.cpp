#include "wrapper_support.h"

using namespace aotscope;
using test::matrix;

TEST_CASE("a tensor that is passed twice is passed once to the graph") {
    aot::RetraceInput second = test::inner();
    second.duplicateOf = 0;
    test::Compiled function = test::compiled("x" + matrix + ", y" + matrix + ", z" + matrix,
                                             "        mul_ = x.mul_(2);  mul_ = None\n"
                                             "        mul = y * z\n"
                                             "        add = x + mul\n"
                                             "        return (add,)\n",
                                             {test::inner(), second, test::leaf()});
    const steps::CallRecord record = test::called(function);
    test::requireEager(record);
    const steps::WrapperCall* dedupe = test::passage(record, "AOTDedupeWrapper");
    REQUIRE(dedupe != nullptr);
    REQUIRE(dedupe->arguments.size() == 3);
    CHECK(dedupe->arguments[0].tensor == dedupe->arguments[1].tensor);
    CHECK(dedupe->passedOn.size() == 2);
    CHECK(dedupe->exit.has_value());

    SUBCASE("and refused when it is another tensor in a later call") {
        function.request.request.inputs[1].duplicateOf.reset();
        const base::Error error = test::refused(function);
        CHECK(error.code == "call.guard");
        CHECK(error.message.find("y was the same tensor as x") != std::string::npos);
    }
}

TEST_CASE("inputs that share memory become one base, and the writes to one are seen through the other") {
    const std::string row = ": \"f32[8][1]cpu\"";
    const std::string half = ": \"f32[4][1]cpu\"";
    const auto whole = test::inStorage(test::plain(), 1, 0, 32);
    const auto part = test::inStorage(test::plain(), 1, 2, 32);
    test::Compiled function = test::compiled("a" + row + ", b" + half,
                                             "        mul_ = b.mul_(2);  mul_ = None\n"
                                             "        add = a + 1\n"
                                             "        return (add,)\n",
                                             {whole, part});
    const steps::CallRecord record = test::called(function);
    const steps::WrapperCall* bases = test::passage(record, "AOTSyntheticBaseWrapper");
    REQUIRE(bases != nullptr);
    CHECK(bases->arguments.size() == 2);
    REQUIRE(bases->passedOn.size() == 1);
    CHECK(bases->passedOn[0].storage == bases->arguments[0].storage);
    REQUIRE(record.eager.has_value());
    CHECK(record.eager->skipped.empty());
    for (const steps::ComparedValue& value : record.eager->values) {
        CHECK_MESSAGE(value.relativeError.value_or(0) == 0, value.name);
    }
}

TEST_CASE("views of one base, of which one is mutated, share the base that autograd knows") {
    const std::string half = ": \"f32[4][1]cpu\"";
    ir::TensorMeta base;
    base.dtype = ir::DType::Float32;
    base.shape = {8};
    base.stride = ir::SymInts{1};
    base.storageOffset = ir::SymInt(0);
    base.requiresGrad = false;
    auto left = test::inStorage(test::plain(), 1, 0, 32);
    auto right = test::inStorage(test::plain(), 1, 2, 32);
    left.viewBase = base;
    right.viewBase = base;
    const test::Compiled function = test::compiled("a" + half + ", b" + half + ", w" + half,
                                                   "        mul_ = a.mul_(3);  mul_ = None\n"
                                                   "        out = b * w\n"
                                                   "        return (out,)\n",
                                                   {left, right, test::leaf()});
    const steps::CallRecord record = test::called(function);
    test::requireEager(record);
    REQUIRE(test::passage(record, "AOTSyntheticBaseWrapper") != nullptr);
    CHECK(test::passage(record, "AOTSyntheticBaseWrapper")->passedOn.size() == 2);
}

TEST_CASE("an argument that did not require grad at compile time is refused by the debug assertion") {
    test::Compiled function = test::compiled("x" + matrix + ", w" + matrix,
                                             "        mul = x * w\n"
                                             "        return (mul,)\n",
                                             {test::plain(), test::leaf()});
    (void)function.wrapper<aot::DebugAssertWrapper>();
    test::requireEager(test::called(function));
    function.request.request.inputs[0] = test::leaf();
    const base::Error error = test::refused(function);
    CHECK(error.code == "call.guard");
    CHECK(error.message.find("x did not require grad") != std::string::npos);
}

TEST_CASE("a tensor subclass is refused by name") {
    test::Compiled function =
        test::compiled("x" + matrix, "        mul = x * 2\n        return (mul,)\n", {test::plain()});
    (void)function.wrapper<aot::AOTDispatchSubclassWrapper>();
    const base::Error error = test::refused(function);
    CHECK(error.code == "call.subclass");
    CHECK(error.message.find("AOTDispatchSubclassWrapper") != std::string::npos);
}

TEST_CASE(
    "targets of a loss are the probabilities that the program demands, whatever stands for it in the graph") {
    for (const auto table : {aot::DecompositionTable::None, aot::DecompositionTable::Inductor}) {
        const test::Compiled function =
            test::compiled("x" + matrix + ", t" + matrix,
                           "        p = x.sigmoid()\n"
                           "        loss = torch.nn.functional.binary_cross_entropy(p, t)\n"
                           "        return (loss,)\n",
                           {test::leaf(), test::plain()}, {.decompositions = table});
        test::requireEager(test::called(function));
    }
}

TEST_CASE("what autograd saved as a product is that of the input that it was computed from") {
    const std::string node = "        node = torch__dynamo_compiled_autograd_ops_";
    const std::string rest = "        gradient = node[0]\n        return (gradient,)\n";
    const std::string row = ": \"f32[4][1]cpu\"";
    SUBCASE("of all elements") {
        test::requireEager(test::called(
            test::compiled("g: \"f32[][]cpu\", x" + matrix + ", r: \"f32[][]cpu\"",
                           node + "ProdBackward0([g], [True], x, r)\n" + rest,
                           {test::plain(), test::plain(), test::plain()}, {.gradEnabled = false})));
    }
    SUBCASE("along a dimension") {
        test::requireEager(test::called(
            test::compiled("g" + row + ", x" + matrix + ", r" + row,
                           node + "ProdBackward1([g], [True], 0, False, x, r)\n" + rest,
                           {test::plain(), test::plain(), test::plain()}, {.gradEnabled = false})));
    }
    SUBCASE("in memory that another input changes") {
        const auto whole = test::inStorage(test::plain(), 1, 0, 48);
        test::requireEager(test::called(
            test::compiled("g: \"f32[][]cpu\", d: \"f32[3][5]cpu\", r: \"f32[][]cpu\", x" + matrix,
                           node + "ProdBackward0([g], [True], d, r)\n        gradient = node[0]\n"
                                  "        sum_1 = gradient.sum()\n        mul = x * sum_1\n"
                                  "        return (mul,)\n",
                           {test::plain(), whole, test::plain(), whole}, {.gradEnabled = false})));
    }
}

TEST_CASE("sizes that the log does not show fulfil the equalities that the compile was guarded with") {
    const test::Compiled function =
        test::compiled("s77: \"Sym(s77)\", x: \"f32[s77, 4][4, 1]cpu\"",
                       "        half = s77 // 2\n        split = x.split(half)\n"
                       "        first = split[0]\n        third = split[2]\n"
                       "        sum_1 = third.sum()\n        mul = first * sum_1\n        return (mul,)\n",
                       {test::plain(), test::plain()},
                       {.gradEnabled = false, .guards = {"Eq(((s77 + ((s77//2)) - 1)//((s77//2))), 3)"}});
    test::requireEager(test::called(function));
}
