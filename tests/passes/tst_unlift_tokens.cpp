// Halves without the tokens of their effects. PyTorch's own halves of such programs are compared in
// tests/golden/options (unlift_effect_tokens).
#include "aot/versions/versions.h"
#include "ir/text/parser.h"
#include "passes/partition.h"

#include <doctest/doctest.h>

using namespace aotscope;

namespace {

/// A joint graph that torch 2.15 made of torch.linalg.inv(x).sin(); `token` is what it returns as the next
/// token.
ir::GraphPtr checkedInverse(const std::string& token) {
    const auto graph = ir::parseGraphText(R"(class inner_f(torch.nn.Module):
    def forward(
        self,
        primals,
        tangents,
    ):
        primals_1: "f32[0][1]cpu"  # ForwardTokenAOTInput(idx=0)
        primals_2: "f32[4, 4][4, 1]cpu"  # PlainAOTInput(idx=0)
        tangents_1: "f32[4, 4][1, 4]cpu"  # TangentAOTInput(output=PlainAOTOutput(idx=0))
        primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        linalg_inv_ex = torch.ops.aten.linalg_inv_ex.default(primals_2);  primals_2 = None
        getitem: "f32[4, 4][1, 4]cpu" = linalg_inv_ex[0]
        getitem_1: "i32[][]cpu" = linalg_inv_ex[1];  linalg_inv_ex = None
        detach: "f32[4, 4][1, 4]cpu" = torch.ops.aten.detach.default(getitem)
        with_effects = torch.ops.higher_order.with_effects(primals_1, torch.ops.aten._linalg_check_errors.default, getitem_1, 'linalg.inv', is_matrix = True);  primals_1 = getitem_1 = None
        getitem_2: "f32[0][1]cpu" = with_effects[0];  with_effects = None
        sin: "f32[4, 4][1, 4]cpu" = torch.ops.aten.sin.default(getitem)
        cos: "f32[4, 4][1, 4]cpu" = torch.ops.aten.cos.default(getitem);  getitem = None
        mul: "f32[4, 4][1, 4]cpu" = torch.ops.aten.mul.Tensor(tangents_1, cos);  tangents_1 = cos = None
        detach_1: "f32[4, 4][1, 4]cpu" = torch.ops.aten.detach.default(detach);  detach = None
        transpose: "f32[4, 4][4, 1]cpu" = torch.ops.aten.transpose.int(detach_1, -2, -1)
        mm: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(mul, transpose);  mul = transpose = None
        transpose_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.transpose.int(detach_1, -2, -1);  detach_1 = None
        mm_1: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(transpose_1, mm);  transpose_1 = mm = None
        neg: "f32[4, 4][4, 1]cpu" = torch.ops.aten.neg.default(mm_1);  mm_1 = None
        return pytree.tree_unflatten([
            )" + token + R"(,  # ForwardTokenAOTOutput(idx=0)
            sin,  # PlainAOTOutput(idx=0)
            neg,  # GradAOTOutput(grad_of=PlainAOTInput(idx=0))
        ], self._out_spec)
)");
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

passes::Partition unlifted(const ir::GraphPtr& joint) {
    passes::PartitionOptions options;
    options.partitioner = passes::Partitioner::MinCut;
    options.rules = aot::torchRules(aot::torchVersionFromText("2.15").value()).partition;
    options.unliftTokens = true;
    auto made = passes::partitionJointGraph(joint, options);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    return std::move(made).value();
}

} // namespace

TEST_CASE("what a forward returns keeps its descriptors without the token") {
    const passes::Partition made = unlifted(checkedInverse("getitem_2"));
    CHECK_FALSE(made.report.tokensStay);
    CHECK(made.forwardOutputs == 1);
    CHECK(made.forward->placeholders().size() == 1);
    CHECK(made.forward->tryFind("_make_token_default"));
    CHECK(made.forward->tryFind("_sink_tokens_default"));
    const ir::Node& output = made.forward->node(*made.forward->output());
    REQUIRE_FALSE(output.descriptors.empty());
    const ir::AOTOutput* first = ir::outputDescriptor(output, 0);
    REQUIRE(first != nullptr);
    CHECK(first->as<ir::PlainAOTOutput>() != nullptr);
}

TEST_CASE("a token that no effect gives back stays, and the report says so") {
    const passes::Partition made = unlifted(checkedInverse("primals_1"));
    CHECK(made.report.tokensStay);
    CHECK(made.forwardOutputs == 2);
    CHECK(made.forward->placeholders().size() == 2);
}
