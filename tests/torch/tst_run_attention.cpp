#include "run_support.h"

using namespace aotscope;

TEST_CASE("attention written for a GPU runs with the CPU's kernel") {
    const auto run =
        test::ran(test::graphOf("q: \"f32[1, 2, 5, 8]\", k: \"f32[1, 2, 7, 8]\", v: \"f32[1, 2, 7, 8]\"", R"(
        efficient = torch.ops.aten._scaled_dot_product_efficient_attention.default(q, k, v, None, True)
        getitem = efficient[0]
        getitem_1: "f32[1, 2, 32]" = efficient[1]
        cpu = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v)
        getitem_2 = cpu[0]
        return (getitem, getitem_2)
)"));
    CHECK(run.outputs[0].bytes == run.outputs[1].bytes);
    for (const session::NodeRun& node : run.nodes) {
        CHECK(node.mismatch == "");
    }
    CHECK(!run.notes.empty());
}

TEST_CASE("flex attention without a score function gives plain attention and its gradients") {
    const auto run = test::ran(test::graphOf(
        "q: \"f32[1, 2, 5, 8]\", k: \"f32[1, 2, 7, 8]\", v: \"f32[1, 2, 7, 8]\", g: \"f32[1, 2, 5, 8]\"", R"(
        score = self.score
        joint = self.joint
        mask = self.mask
        flex = torch.ops.higher_order.flex_attention(q, k, v, score, (1, 1, mask), 0.5, {}, (), ())
        getitem = flex[0]
        getitem_1 = flex[1]
        back = torch.ops.higher_order.flex_attention_backward(q, k, v, getitem, getitem_1, g, None, score, joint, (1, 1, mask), 0.5, {}, (), ())
        getitem_2 = back[0]
        getitem_3 = back[1]
        getitem_4 = back[2]
        cpu = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, scale = 0.5)
        getitem_5 = cpu[0]
        getitem_6 = cpu[1]
        cpu_back = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(g, q, k, v, getitem_5, getitem_6, 0.0, False, scale = 0.5)
        getitem_7 = cpu_back[0]
        getitem_8 = cpu_back[1]
        getitem_9 = cpu_back[2]
        return (getitem, getitem_2, getitem_3, getitem_4, getitem_5, getitem_7, getitem_8, getitem_9)

    class score(torch.nn.Module):
        def forward(self, s: "f32[]", b: "i32[]", h: "i32[]", m: "i32[]", n: "i32[]"):
            return s

    class joint(torch.nn.Module):
        def forward(self, s: "f32[]", b: "i32[]", h: "i32[]", m: "i32[]", n: "i32[]", gs: "f32[]"):
            return [gs, None, None, None, None]

    class mask(torch.nn.Module):
        def forward(self, b: "i32[]", h: "i32[]", m: "i32[]", n: "i32[]"):
            new_ones: "b8[]" = torch.ops.aten.new_ones.default(b, [], dtype = torch.bool)
            return new_ones
)"));
    REQUIRE(run.outputs.size() == 8);
    for (std::size_t i = 0; i < 4; ++i) {
        const std::vector<float> ours = test::numbers<float>(run.outputs[i]);
        const std::vector<float> theirs = test::numbers<float>(run.outputs[i + 4]);
        REQUIRE(ours.size() == theirs.size());
        for (std::size_t k = 0; k < ours.size(); ++k) {
            CHECK(ours[k] == doctest::Approx(theirs[k]).epsilon(1e-4));
        }
    }
}
