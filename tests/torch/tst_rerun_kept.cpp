// A kernel that is rerun again and again, as a person who changes its text does: what its nodes had in the
// run is computed once, and no change of the text gets at it.
#include "rerun_support.h"

#include "kernels/fusion_plan.h"

using namespace aotscope;
using test::graphOf;

namespace {

/// The kernel of a relu and its double, behind a product that no kernel computes.
session::RerunRequest reluRequest(const std::string& source, std::uint64_t seed = 0) {
    static const ir::GraphPtr graph = graphOf("x: \"f32[2, 2]\", w: \"f32[2, 2]\"", R"(
        mm: "f32[2, 2]" = torch.ops.aten.mm.default(x, w)
        relu: "f32[2, 2]" = torch.ops.aten.relu.default(mm)
        mul: "f32[2, 2]" = torch.ops.aten.mul.Tensor(relu, 2)
        return (mul,)
)");
    session::RerunRequest request;
    request.graph = graph;
    request.nodes = {"relu", "mul"};
    request.run = test::withInputs({{"x", test::floats({2, 2}, {1, 2, 3, 4})}});
    request.run.inputs["w"] = test::floats({2, 2}, {1, 0, 0, 1});
    request.run.seed = seed;
    request.settings.repetitions = 3;
    request.kernel = session::RerunKernel{source};
    request.keepOutputs = true;
    return request;
}

/// What it gives, and whether the graph ran for it.
struct Rerun {
    std::vector<float> values;
    bool ran = false;
};
Rerun rerunOf(const session::RerunRequest& request) {
    Rerun rerun;
    const base::Progress progress(
        [&](const base::ProgressState& state) {
            rerun.ran = rerun.ran || state.stage == "Computing the inputs";
        },
        {});
    const auto result = test::backend().answer(request, progress);
    REQUIRE_MESSAGE(result.ok(), result.error().text());
    REQUIRE(result->build);
    REQUIRE_FALSE(result->build->isRefused());
    REQUIRE(result->outputData.size() == 1);
    rerun.values = test::numbers<float>(result->outputData[0]);
    return rerun;
}

std::string reluSource() {
    const kernels::FusionPlan plan = kernels::planFusion(*reluRequest({}).graph);
    REQUIRE(plan.groups.size() == 1);
    return plan.groups[0].kernel.source;
}

} // namespace

TEST_CASE("the graph runs once for all changes of a kernel, and again for another run") {
    const Rerun first = rerunOf(reluRequest({}, 1));
    CHECK(first.ran);
    CHECK(first.values == std::vector<float>{2, 4, 6, 8});
    const Rerun edited = rerunOf(reluRequest(test::changedText(reluSource(), "* 2.0f", "* 4.0f"), 1));
    CHECK_FALSE(edited.ran);
    CHECK(edited.values == std::vector<float>{4, 8, 12, 16});
    const Rerun again = rerunOf(reluRequest({}, 1));
    CHECK_FALSE(again.ran);
    CHECK(again.values == first.values);
    CHECK(rerunOf(reluRequest({}, 2)).ran);
    session::RerunRequest other = reluRequest({}, 2);
    other.run.inputs["x"] = test::floats({2, 2}, {-1, 0, 5, 6});
    const Rerun changedInput = rerunOf(other);
    CHECK(changedInput.ran);
    CHECK(changedInput.values == std::vector<float>{0, 0, 10, 12});
}

TEST_CASE("a text that writes to the kernel's input spoils only its own rerun") {
    const std::string source = reluSource();
    const std::size_t body = source.find('{', source.find("__global__"));
    REQUIRE(body != std::string::npos);
    std::string spoiling = source;
    spoiling.insert(body + 1, " const_cast<float*>(in0)[0] = 100.0f;");
    CHECK(rerunOf(reluRequest({}, 3)).values == std::vector<float>{2, 4, 6, 8});
    const Rerun spoiled = rerunOf(reluRequest(spoiling, 3));
    CHECK_FALSE(spoiled.ran);
    CHECK(spoiled.values[0] == 200);
    const Rerun after = rerunOf(reluRequest({}, 3));
    CHECK_FALSE(after.ran);
    CHECK(after.values == std::vector<float>{2, 4, 6, 8});
}
