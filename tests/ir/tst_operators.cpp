#include "ir/operators/name_parts.h"
#include "ir/operators/operator.h"
#include "ir/operators/operator_table.h"

#include "ir/op_schema.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace aotscope;
using ir::Operator;
using ir::Trait;

TEST_CASE("facts of overloads hold for those only, others for all") {
    CHECK(Operator("aten.view.default").is(Trait::ChangesShape));
    CHECK_FALSE(Operator("aten.view.dtype").is(Trait::ChangesShape));
    CHECK(Operator("aten.view.dtype").is(Trait::View));
    for (const std::string_view overload : {"default", "dim", "dims"}) {
        CHECK(Operator("aten.squeeze." + std::string(overload)).is(Trait::KeepsElements));
    }
    CHECK_FALSE(Operator("aten.squeeze.dimname").is(Trait::KeepsElements));
    CHECK(Operator("aten._assert_async.msg").is(Trait::Effect));
    CHECK_FALSE(Operator("aten._assert_async.default").is(Trait::Effect));
    CHECK(Operator("aten._assert_async.default").is(Trait::AsyncAssertion));
    // One of several is enough.
    CHECK(Operator("aten.relu.default").is(Trait::View | Trait::Pointwise));
    CHECK_FALSE(Operator("aten.relu.default").is(Trait::View | Trait::Reduces));
}

TEST_CASE("Python's functions have rows, with and without an overload") {
    CHECK(Operator("torch._assert").is(Trait::Effect));
    CHECK(Operator("torch.amp._enter_autocast").is(Trait::Effect));
    CHECK_FALSE(Operator("torch.amp.autocast_mode").is(Trait::Effect));
    CHECK(Operator("_operator.getitem").is(Trait::Recomputable));
    CHECK_FALSE(Operator("_operator.call").is(Trait::Recomputable));
}

TEST_CASE("what graphs, Inductor's code and GPUs make of a product stands in its row") {
    const Operator product("aten.addmm.default");
    CHECK(product->inductorName == "bias_addmm");
    CHECK(product->flops.operand == 1);
    CHECK(product.is(Trait::MultipliesMatrices));
    CHECK(product.is(Trait::TensorFloat32));
    CHECK_FALSE(Operator("aten.dot.default").is(Trait::TensorFloat32));
    CHECK(Operator("aten.cudnn_convolution_relu.default").is(Trait::Convolves));
    CHECK(Operator("aten._convolution_double_backward.default").is(Trait::Convolves));
    CHECK_FALSE(Operator("aten._slow_conv2d_forward.default").is(Trait::Convolves));
}

TEST_CASE("a name stands for the operators of all namespaces, functions and methods") {
    CHECK(ir::operatorNamed("convert_element_type").is(Trait::MovesValues));
    CHECK(ir::operatorNamed("float").is(Trait::MovesValues));
    CHECK_FALSE(ir::operatorNamed("exp").is(Trait::MovesValues));
    // weight[indices]: each index is below the number of rows.
    const ir::IndexRules& indexes = ir::operatorNamed("embedding").facts.indexes;
    REQUIRE_FALSE(indexes.empty());
    CHECK(indexes.begin()->argument == 1);
    CHECK(indexes.begin()->below == ir::Below::Size);
    // The gradient of a normalization with statistics reads a variance and the saved inverse deviation.
    CHECK(ir::operatorNamed("native_batch_norm_backward").facts.nonNegative == ((1U << 4U) | (1U << 6U)));
}

TEST_CASE("an operator has one row: a second one is not dropped silently") {
    ir::detail::OperatorTable table;
    table.add({"mylib.f"}, Trait::Reduces);
    CHECK(table.ofPacket("mylib.f").is(Trait::Reduces));
    CHECK_THROWS_AS(table.add({"mylib.f"}, Trait::View), std::logic_error);
    // So the rows that are there are unique, or this table would not have come about.
    CHECK_THROWS_AS(table.add({"aten.cat"}, Trait::Joins), std::logic_error);
}

TEST_CASE("nothing is known of an operator without a row") {
    const Operator custom("mylib.cat.default");
    CHECK_FALSE(custom.is(Trait::Joins | Trait::View | Trait::Recomputable | Trait::Pointwise));
    CHECK(custom->flops.rule == ir::FlopRule::None);
    CHECK(custom->expression.text.empty());
    CHECK(ir::deedOf("mylib.f.default").empty());
    CHECK_FALSE(Operator("").is(Trait::Effect));
}

TEST_CASE("tags of PyTorch's table are traits") {
    CHECK(Operator("aten.add.Tensor").is(Trait::Pointwise));
    CHECK_FALSE(Operator("aten.mm.default").is(Trait::Pointwise));
    CHECK(Operator("aten.leaky_relu.default").is(Trait::LaterPointwise));
    CHECK_FALSE(Operator("aten.leaky_relu.default").is(Trait::Pointwise));
    CHECK(ir::isSeeded("aten.bernoulli.default"));
    CHECK_FALSE(ir::isSeeded("aten.add.Tensor"));
}

TEST_CASE("the operands of expressions are arguments of the operator") {
    for (const std::string_view target :
         {"aten.exp.default", "aten.elu_backward.default", "aten.hardtanh_backward.default",
          "aten.threshold_backward.default", "aten.addcmul.default", "aten.copy.default", "prims.fma.default",
          "prims.convert_element_type.default"}) {
        CAPTURE(target);
        const auto schema = ir::trySchema(target);
        REQUIRE(schema);
        std::string_view operands = Operator(target)->expression.operands;
        REQUIRE_FALSE(operands.empty());
        while (!operands.empty()) {
            const std::string_view word = operands.substr(0, operands.find(' '));
            CHECK(std::ranges::count(schema->arguments, word.substr(0, word.find('=')),
                                     &ir::SchemaArgument::name) == 1);
            operands.remove_prefix(std::min(word.size() + 1, operands.size()));
        }
    }
}

TEST_CASE("parts of names say what operators do and whether they draw numbers") {
    CHECK(ir::deedOf("aten.baddbmm.default") == "multiplies matrices");
    CHECK(ir::deedOf("aten.cummax.default") == "scans along a dimension");
    CHECK(ir::deedOf("aten.topk.default") == "sorts");
    CHECK(ir::drawsByName("aten.rand_like.default"));
    CHECK_FALSE(ir::drawsByName("aten.native_dropout_backward.default"));
    CHECK(ir::couldBeFused("aten.digamma.default"));
    CHECK_FALSE(ir::couldBeFused("mylib.digamma.default"));
}
