// A GPU that pretends and is lost at the last moment, in work that would report any other failure as that of
// a part: the whole answer is then the loss, and the next call has a new process.
#include "fake_cuda/fake_cuda.h"
#include "kernels/nvrtc_or_skip.h"
#include "run_support.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

using namespace aotscope;

namespace {

session::RunOptions seededOnGpu() {
    session::RunOptions options = test::seeded(3);
    options.device = {session::DeviceChoice::Kind::Cuda, 0};
    return options;
}

std::unique_ptr<session::Backend> freshGpuBackend() {
    test::pretendGpus(1);
    test::failAtWait(0);
    auto made = app::torchBackendFactory()();
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    return std::move(made).value();
}

/// How often the work waits for the GPU, from the start of a process on.
int waitsOf(const std::function<void(session::Backend&)>& work) {
    const std::filesystem::path file =
        std::filesystem::path(AOTSCOPE_BINARY_DIR) / "test_caches" / "gpu_waits.log";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file).flush();
    const test::GpuSetting log("FAKE_CUDA_WAITS", file.string());
    const auto backend = freshGpuBackend();
    work(*backend);
    std::ifstream in(file);
    int waits = 0;
    for (std::string line; std::getline(in, line);) {
        ++waits;
    }
    REQUIRE(waits > 1);
    return waits;
}

/// A hook that halves and doubles, on a step whose backward draws random numbers, so that its gradients are
/// measured by running all of it again.
session::HookErrorsCall hooksOfRandomStep() {
    session::HookErrorsRequest request;
    request.forward = test::graphOf("x: \"f32[4][1]cuda:0\"",
                                    "        exp: \"f32[4][1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                    "        sin: \"f32[4][1]cuda:0\" = torch.ops.aten.sin.default(exp)\n"
                                    "        return (sin, exp)\n");
    request.backward = test::graphOf(
        "exp: \"f32[4][1]cuda:0\", tangents_1: \"f32[4][1]cuda:0\"",
        "        rand_like: \"f32[4][1]cuda:0\" = torch.ops.aten.rand_like.default(tangents_1)\n"
        "        cos: \"f32[4][1]cuda:0\" = torch.ops.aten.cos.default(exp)\n"
        "        mul: \"f32[4][1]cuda:0\" = torch.ops.aten.mul.Tensor(cos, rand_like)\n"
        "        return (mul,)\n");
    request.forwardOutputs = 1;
    const auto scaled = [](const char* factor) {
        return test::graphOf("x: \"f32[4][1]cuda:0\"",
                             "        mul: \"f32[4][1]cuda:0\" = torch.ops.aten.mul.Tensor(x, " +
                                 std::string(factor) + ")\n        return (mul,)\n");
    };
    request.hooks = {{"exp", scaled("0.5"), scaled("2.0")}};
    request.options = seededOnGpu();
    // With the parts that are sent earlier, what each hook does alone comes last.
    return {std::move(request), [](const session::HookErrors&) {}};
}

/// Two ways to the same number, of which the difference is returned: float64 has to tell whether kernels that
/// round otherwise are right.
ir::GraphPtr cancelling() {
    return test::graphOf(
        "x: \"f32[64, 16][16, 1]cuda:0\", y: \"f32[64, 16][16, 1]cuda:0\"",
        "        exp: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
        "        exp_1: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.exp.default(y)\n"
        "        div: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.div.Tensor(exp, exp_1)\n"
        "        cumsum: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.cumsum.default(div, 1)\n"
        "        sub: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.sub.Tensor(x, y)\n"
        "        exp_2: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.exp.default(sub)\n"
        "        cumsum_1: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.cumsum.default(exp_2, 1)\n"
        "        sub_1: \"f32[64, 16][16, 1]cuda:0\" = torch.ops.aten.sub.Tensor(cumsum, cumsum_1)\n"
        "        return (sub_1,)\n");
}

} // namespace

TEST_CASE("a GPU that is lost while a hook's gradients are measured is no failure of that hook") {
    const session::HookErrorsCall call = hooksOfRandomStep();
    const int waits = waitsOf([&](session::Backend& backend) {
        const auto measured = backend.answer(call);
        REQUIRE_MESSAGE(measured.ok(), (measured.ok() ? "" : measured.error().text()));
        REQUIRE(measured->hooks.size() == 1);
        REQUIRE(measured->hooks[0].failure.empty());
        REQUIRE(measured->hooks[0].gradients.size() == 1);
    });
    const auto backend = freshGpuBackend();
    test::failAtWait(waits);
    const auto lost = backend->answer(call);
    test::failAtWait(0);
    REQUIRE_FALSE(lost.ok());
    CHECK(lost.error().code == "cuda.lost");
    CHECK(backend->answer(call).ok());
}

TEST_CASE("a GPU that is lost while float64 is to tell whether kernels are right ends the check") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const ir::GraphPtr graph = cancelling();
    const int waits = waitsOf([&](session::Backend& backend) {
        const auto check = backend.answer(session::KernelsCall{graph, seededOnGpu()});
        REQUIRE_MESSAGE(check.ok(), (check.ok() ? "" : check.error().text()));
        REQUIRE_FALSE(check->error);
        REQUIRE_FALSE(check->wholeRun.explained.empty());
    });
    const auto backend = freshGpuBackend();
    test::failAtWait(waits);
    const auto lost = backend->answer(session::KernelsCall{graph, seededOnGpu()});
    test::failAtWait(0);
    REQUIRE(lost.ok());
    REQUIRE(lost->error);
    CHECK(lost->error->code == "cuda.lost");
    CHECK_FALSE(backend->answer(session::KernelsCall{graph, seededOnGpu()})->error);
}
