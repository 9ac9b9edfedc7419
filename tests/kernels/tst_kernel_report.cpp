#include "kernels/kernel_report.h"

#include "kernels/fusion_plan.h"
#include "nvrtc_or_skip.h"
#include "support/temp_folder.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace aotscope;
using namespace aotscope::kernels;

namespace {

const std::string twoGroups =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, a: \"f32[64, 256][256, 1]cpu\", b: \"f32[256][1]cpu\", w: \"f32[256, 256][256, "
    "1]cpu\"):\n"
    "        add: \"f32[64, 256][256, 1]cpu\" = torch.ops.aten.add.Tensor(a, b)\n"
    "        relu: \"f32[64, 256][256, 1]cpu\" = torch.ops.aten.relu.default(add)\n"
    "        mm: \"f32[64, 256][256, 1]cpu\" = torch.ops.aten.mm.default(relu, w)\n"
    "        mul: \"f32[64, 256][256, 1]cpu\" = torch.ops.aten.mul.Tensor(mm, mm)\n"
    "        amax: \"f32[64, 1][1, 1]cpu\" = torch.ops.aten.amax.default(mul, [1], True)\n"
    "        sub: \"f32[64, 256][256, 1]cpu\" = torch.ops.aten.sub.Tensor(mul, amax)\n"
    "        return (sub,)\n";

FusionPlan planOf(const std::string& text) {
    const auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return planFusion(**graph);
}

std::vector<const FusedKernel*> kernelsOf(const FusionPlan& plan) {
    std::vector<const FusedKernel*> kernels;
    for (const FusionGroup& group : plan.groups) {
        kernels.push_back(&group.kernel);
    }
    return kernels;
}

} // namespace

TEST_CASE("fused kernels are reported for each architecture") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const FusionPlan plan = planOf(twoGroups);
    REQUIRE(plan.groups.size() == 2);
    const auto reports =
        reportKernels(*nvrtc, kernelsOf(plan), {"sm_80", "sm_90", "sm_100"}, *deviceByName("H100"));
    REQUIRE_MESSAGE(reports.ok(), reports.error().text());
    REQUIRE(reports->size() == 2);
    // Two tensors read, one written; two nodes. The kernel of rows reads one and writes one.
    CHECK((*reports)[0].work.bytesRead == 64 * 256 * 4 + 256 * 4);
    CHECK((*reports)[0].work.bytesWritten == 64 * 256 * 4);
    CHECK((*reports)[0].work.vectorOperations == 2 * 64 * 256);
    CHECK((*reports)[1].work.bytesRead == 64 * 256 * 4);
    CHECK((*reports)[1].work.bytesWritten == 64 * 256 * 4);
    for (const KernelReport& report : *reports) {
        CHECK(report.compiled());
        CHECK(report.time.limit == TimeLimit::Launch);
        REQUIRE(report.architectures.size() == 3);
        for (const ArchitectureReport& own : report.architectures) {
            REQUIRE_MESSAGE(own.compiled(), compileError(own.build->messages).text());
            REQUIRE(own.facts.has_value());
            CHECK(own.facts->registers > 0);
            CHECK(own.spillStoreBytes == 0);
            REQUIRE(own.occupancy.has_value());
            CHECK(own.occupancy->blocks > 0);
            CHECK(own.build->ptx.find(".entry " + own.function) != std::string::npos);
        }
    }
}

TEST_CASE("kernels that differ in names alone are compiled once, and what the cache has is not compiled") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const FusionPlan first = planOf(twoGroups);
    std::string renamed = twoGroups;
    for (std::size_t at = renamed.find("relu"); at != std::string::npos; at = renamed.find("relu", at + 5)) {
        if (renamed.compare(at, 12, "relu.default") != 0) {
            renamed.replace(at, 4, "relu_7");
        }
    }
    const FusionPlan second = planOf(renamed);
    std::vector<const FusedKernel*> all = kernelsOf(first);
    for (const FusedKernel* kernel : kernelsOf(second)) {
        all.push_back(kernel);
    }
    const test::TempFolder folder;
    const KernelCache cache(folder.path());
    const auto compiled = reportKernels(*nvrtc, all, {"sm_90"}, *deviceByName("H100"), &cache);
    REQUIRE(compiled.ok());
    REQUIRE(compiled->size() == 4);
    CHECK((*compiled)[0].architectures[0].build == (*compiled)[2].architectures[0].build);
    CHECK(cache.folder().list().size() == 2);
    const auto found = reportKernels(*nvrtc, all, {"sm_90"}, *deviceByName("H100"), &cache);
    REQUIRE(found.ok());
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK((*found)[i].architectures[0].build->cubin == (*compiled)[i].architectures[0].build->cubin);
        CHECK((*found)[i].architectures[0].facts == (*compiled)[i].architectures[0].facts);
    }
}

TEST_CASE("a kernel that does not compile is reported with its message and without figures") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const FusionPlan plan = planOf(twoGroups);
    FusedKernel wrong = plan.groups[0].kernel;
    wrong.source += "wrong;\n";
    wrong.bodyKey.clear();
    const auto reports = reportKernels(*nvrtc, {&wrong}, {"sm_90"}, *deviceByName("H100"));
    REQUIRE(reports.ok());
    const ArchitectureReport& own = (*reports)[0].architectures.at(0);
    CHECK_FALSE((*reports)[0].compiled());
    CHECK_FALSE(own.facts.has_value());
    CHECK_FALSE(own.occupancy.has_value());
    REQUIRE(hasErrors(own.build->messages));
    // Behind warnings of variables that are not used.
    const base::Error error = compileError(own.build->messages);
    CHECK(error.place.file == kernelFileName(wrong.name));
    CHECK(error.place.line == static_cast<std::size_t>(std::ranges::count(wrong.source, '\n')));
}

TEST_CASE("a GPU takes images of its own major version that are not newer than itself") {
    const std::vector<std::string> known{"sm_75", "sm_80",  "sm_86",  "sm_89",
                                         "sm_90", "sm_90a", "sm_100", "sm_120"};
    CHECK(*architectureFor("9.0", known) == "sm_90");
    CHECK(*architectureFor("8.7", known) == "sm_86");
    CHECK(*architectureFor("8.0", known) == "sm_80");
    CHECK(*architectureFor("10.3", known) == "sm_100");
    CHECK(*architectureFor("12.1", known) == "sm_120");
    for (const char* other : {"7.0", "11.0", "13.0", "", "9", "9.0a"}) {
        INFO(other);
        const auto none = architectureFor(other, known);
        REQUIRE_FALSE(none.ok());
        CHECK(none.error().code == "kernels.no_architecture");
        CHECK(none.error().notes.front().find("sm_75, sm_80") != std::string::npos);
    }
}
