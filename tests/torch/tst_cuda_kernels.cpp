// The fused kernels of graphs on a GPU that pretends: compiled by NVRTC for it, loaded and launched through
// the driver on LibTorch's tensors there, beside ATen's operators.
#include "fake_cuda/fake_cuda.h"
#include "kernels/nvrtc_or_skip.h"
#include "run_support.h"
#include "support/corpus_case.h"

#include "load/trace_log.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

using namespace aotscope;

namespace {

session::RunOptions onGpu(bool fused = false) {
    session::RunOptions options = test::seeded(3);
    options.device = {session::DeviceChoice::Kind::Cuda, 0};
    options.keepOutputs = true;
    options.fused = fused;
    return options;
}

std::unique_ptr<session::Backend> backendWithGpu() {
    test::pretendGpus(1);
    test::failAtWait(0);
    auto made = app::torchBackendFactory()();
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    return std::move(made).value();
}

session::KernelCheck checked(session::Backend& backend, const ir::GraphPtr& graph) {
    auto check = backend.answer(session::KernelsCall{graph, onGpu()});
    REQUIRE_MESSAGE(check.ok(), (check.ok() ? "" : check.error().text()));
    REQUIRE_MESSAGE(!check->error, check->error->text());
    return std::move(check).value();
}

session::RunSnapshot ran(session::Backend& backend, const ir::GraphPtr& graph,
                         const session::RunOptions& options) {
    auto run = backend.answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : run.error().text()));
    REQUIRE_MESSAGE(!run->error, run->error->text());
    return std::move(run).value();
}

ir::GraphPtr twoKernels() {
    return test::graphOf(
        "x: \"f32[8, 64][64, 1]cuda:0\", w: \"f32[64, 32][32, 1]cuda:0\", b: \"f32[32][1]cuda:0\"",
        "        mul: \"f32[8, 64][64, 1]cuda:0\" = torch.ops.aten.mul.Tensor(x, 0.5)\n"
        "        tanh: \"f32[8, 64][64, 1]cuda:0\" = torch.ops.aten.tanh.default(mul)\n"
        "        mm: \"f32[8, 32][32, 1]cuda:0\" = torch.ops.aten.mm.default(tanh, w)\n"
        "        sub: \"f32[8, 32][32, 1]cuda:0\" = torch.ops.aten.sub.Tensor(b, mm)\n"
        "        relu: \"f32[8, 32][32, 1]cuda:0\" = torch.ops.aten.relu.default(sub)\n"
        "        return (relu,)\n");
}

} // namespace

TEST_CASE("kernels on the GPU are beside ATen there, and a whole run has them in place") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const auto log = std::filesystem::path(AOTSCOPE_BINARY_DIR) / "gpu_kernels.log";
    test::logGpuWork(log);
    const auto backend = backendWithGpu();
    const session::KernelCheck check = checked(*backend, twoKernels());
    CHECK(check.compiler == "NVRTC " + test::nvrtcOrSkip()->version() + " for sm_90");
    CHECK(check.backend.find("cuda:0") != std::string::npos);
    REQUIRE(check.kernels.size() == 2);
    for (const session::KernelVerdict& kernel : check.kernels) {
        INFO(kernel.name << " " << kernel.failure << kernel.difference);
        CHECK(kernel.agrees);
    }
    CHECK(check.wholeRun.agrees);
    std::ifstream in(log);
    std::size_t launches = 0;
    for (std::string line; std::getline(in, line);) {
        launches += line.starts_with("launch fused_") ? 1 : 0;
    }
    // Each beside ATen, and once in the whole run.
    CHECK(launches == 4);
    test::logGpuWork({});
}

TEST_CASE("a graph runs with its fused kernels on the GPU") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const auto backend = backendWithGpu();
    const session::RunSnapshot fused = ran(*backend, twoKernels(), onGpu(true));
    const session::RunSnapshot plain = ran(*backend, twoKernels(), onGpu());
    CHECK(fused.device.text() == "cuda:0");
    CHECK(fused.backend.find("cuda:0") != std::string::npos);
    // Two kernels and the product between them; the values inside of kernels are nowhere.
    const auto computedByKernel = std::ranges::count_if(fused.nodes, [](const session::NodeRun& node) {
        return node.note.find("computed by fused_") != std::string::npos;
    });
    CHECK(computedByKernel == 2);
    CHECK(fused.nodes.size() < plain.nodes.size());
    REQUIRE(fused.outputs.size() == 1);
    const auto left = test::numbers<float>(fused.outputs[0]);
    const auto right = test::numbers<float>(plain.outputs[0]);
    REQUIRE(left.size() == 256);
    for (std::size_t i = 0; i < left.size(); ++i) {
        CHECK(left[i] == doctest::Approx(right[i]).epsilon(1e-5));
    }
    CHECK(std::ranges::any_of(left, [](float value) { return value > 0; }));
}

TEST_CASE("a tensor that stays on the CPU is no kernel's, and a scalar from there goes to the GPU") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const auto backend = backendWithGpu();
    const auto graph = test::graphOf("x: \"f32[16][1]cuda:0\", s: \"f32[][]cpu\", h: \"f32[4][1]cpu\"",
                                     "        mul: \"f32[16][1]cuda:0\" = torch.ops.aten.mul.Tensor(x, s)\n"
                                     "        neg: \"f32[16][1]cuda:0\" = torch.ops.aten.neg.default(mul)\n"
                                     "        exp: \"f32[4][1]cpu\" = torch.ops.aten.exp.default(h)\n"
                                     "        add: \"f32[4][1]cpu\" = torch.ops.aten.add.Tensor(exp, 1)\n"
                                     "        return (neg, add)\n");
    const session::KernelCheck check = checked(*backend, graph);
    REQUIRE(check.kernels.size() == 1);
    CHECK(check.kernels[0].nodes == std::vector<std::string>{"mul", "neg"});
    CHECK(check.kernels[0].agrees);
    CHECK(check.wholeRun.agrees);
    const auto node = std::ranges::find(check.nodes, "exp", &session::KernelNode::node);
    REQUIRE(node != check.nodes.end());
    CHECK(node->kind == kernels::NodeFateKind::NotEligible);
    CHECK(node->reason.find("CPU") != std::string::npos);
}

TEST_CASE("a kernel is moved to the GPU with the inputs that its nodes had on the CPU, and back") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const auto backend = backendWithGpu();
    session::RerunRequest request;
    request.graph = twoKernels();
    request.nodes = {"sub", "relu"};
    request.run = test::seeded(3);
    request.settings.repetitions = 3;
    request.kernel = session::RerunKernel{};
    for (const bool startsOnCpu : {true, false}) {
        INFO(startsOnCpu);
        request.run.device = startsOnCpu ? session::DeviceChoice() : onGpu().device;
        request.settings.changes.device = startsOnCpu ? "cuda:0" : "cpu";
        const auto result = backend->answer(request);
        REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().text()));
        CHECK(result->device == (startsOnCpu ? "cuda:0" : "cpu"));
        CHECK(result->build->compiler.starts_with("NVRTC") == startsOnCpu);
        CHECK(result->outputs.at(0).fromRun->max == 0);
        CHECK(result->outputs.at(0).summary.maximum.value() > 0);
        // Only a GPU's time is a rate of anything.
        CHECK(result->limits.has_value() == startsOnCpu);
    }
}

TEST_CASE("a graph that is too large for the GPU's memory is refused by LibTorch's own words") {
    const test::GpuSetting little("FAKE_CUDA_MEMORY", "8000");
    const auto backend = backendWithGpu();
    session::RerunRequest request;
    request.graph = twoKernels();
    request.nodes = {"mm"};
    request.run = onGpu();
    const auto refused = backend->answer(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == "run.too_large");
    CHECK(refused.error().message.find("CUDA out of memory") != std::string::npos);
}

TEST_CASE("a kernel that costs the GPU ends the check, and the next one has a new process") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    std::unique_ptr<session::Backend> backend;
    {
        const test::GpuSetting second("FAKE_CUDA_LAUNCH", "719@2");
        backend = backendWithGpu();
        const auto lost = backend->answer(session::KernelsCall{twoKernels(), onGpu()});
        REQUIRE(lost.ok());
        REQUIRE(lost->error);
        CHECK(lost->error->code == "cuda.lost");
    }
    CHECK(checked(*backend, twoKernels()).agrees());
    {
        // One that the driver refuses is the verdict on that kernel; the others are checked.
        const test::GpuSetting first("FAKE_CUDA_LAUNCH", "701@1");
        const auto other = backendWithGpu();
        const session::KernelCheck check = checked(*other, twoKernels());
        CHECK(check.differing() == 1);
        CHECK(check.kernels.at(0).failure.find("too many resources") != std::string::npos);
        CHECK(check.kernels.at(1).agrees);
        CHECK(check.wholeRun.agrees);
    }
}

TEST_CASE("the graphs of the corpus have the same kernels on the GPU as ATen's operators" *
          test::needsCorpus()) {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const auto backend = backendWithGpu();
    std::size_t kernels = 0;
    for (const char* name : {"mlp_sgd", "mut_input_mul", "bert_tiny"}) {
        const auto log = load::TraceLog::read(test::corpusTrace(name));
        REQUIRE(log.ok());
        for (std::size_t i = 0; i < (*log)->compiles().size(); ++i) {
            const load::CompileIndex compile(static_cast<std::uint32_t>(i));
            for (const load::Artifact& artifact : (*log)->artifacts(compile)) {
                if (artifact.kind != load::RecordKind::AotForwardGraph &&
                    artifact.kind != load::RecordKind::AotBackwardGraph &&
                    artifact.kind != load::RecordKind::AotInferenceGraph) {
                    continue;
                }
                const auto graph = ir::parseGraphText((*log)->payload(artifact.record));
                REQUIRE(graph.ok());
                INFO(std::string(name) << " " << artifact.name);
                const session::KernelCheck check = checked(*backend, *graph);
                CHECK(check.agrees());
                kernels += check.kernels.size();
            }
        }
    }
    std::cout << kernels << " kernels agree on the pretended GPU\n";
    CHECK(kernels >= 20);
}
