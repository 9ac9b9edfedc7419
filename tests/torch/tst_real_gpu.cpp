// What needs a real GPU. Without one every case says so, and ctest counts the test as skipped.
#include "kernels/nvrtc_or_skip.h"
#include "run_support.h"


#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

using namespace aotscope;

namespace {

/// The first GPU, if graphs can run on it.
std::optional<session::DeviceChoice> firstGpu() {
    const session::DeviceList list = test::backend().devices();
    const session::DeviceChoice first{session::DeviceChoice::Kind::Cuda, 0};
    if (session::checkDevice(list, first)) {
        return first;
    }
    std::cout << "SKIPPED: no CUDA device: " << list.noGpu << "\n";
    CHECK_FALSE(list.noGpu.empty());
    return std::nullopt;
}

} // namespace

TEST_CASE("a matrix product on the GPU is the CPU's within float32's error, and its memory is in blocks") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[64, 100][100, 1]cuda:0\", y: \"f32[100, 3][3, 1]cuda:0\"",
        "        mm: \"f32[64, 3][3, 1]cuda:0\" = torch.ops.aten.mm.default(x, y)\n        return (mm,)\n");
    session::RunOptions options = test::seeded(5);
    options.keepOutputs = true;
    const auto cpu = test::backend().run(*graph, options, {});
    options.device = *device;
    const auto gpu = test::backend().run(*graph, options, {});
    REQUIRE(cpu.ok());
    REQUIRE_MESSAGE(gpu.ok(), (gpu.ok() ? "" : gpu.error().text()));
    REQUIRE_MESSAGE(!gpu->error, gpu->error->text());
    CHECK(gpu->nodes.back().outputs.front().mean.value() ==
          doctest::Approx(cpu->nodes.back().outputs.front().mean.value()).epsilon(1e-4));
    // 768 bytes are two blocks; cuBLAS may keep a workspace besides.
    CHECK(gpu->peakBytes >= 1024);
    CHECK(gpu->peakBytes % 512 == 0);
}

namespace {

session::RerunResult reran(const session::RerunRequest& request) {
    auto result = test::backend().rerun(request, {});
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().text()));
    return std::move(result).value();
}

/// A softmax of 256 MiB, and what follows it.
ir::GraphPtr softmaxGraph() {
    return test::graphOf("x: \"f32[8192, 8192][8192, 1]cuda:0\"",
                         "        _softmax: \"f32[8192, 8192][8192, 1]cuda:0\" = "
                         "torch.ops.aten._softmax.default(x, 1, False)\n"
                         "        mul: \"f32[8192, 8192][8192, 1]cuda:0\" = "
                         "torch.ops.aten.mul.Tensor(_softmax, 3)\n"
                         "        return (mul,)\n");
}

} // namespace

TEST_CASE("operators on the GPU are timed within what its memory allows, and differ little from the CPU's") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    session::RerunRequest request;
    request.graph = softmaxGraph();
    request.nodes = {"_softmax", "mul"};
    request.run.seed = 5;
    request.settings.repetitions = 20;
    request.settings.coldCache = true;
    request.settings.twist.device = device->text();
    const session::RerunResult moved = reran(request);
    CHECK(moved.clock == session::RerunClock::CudaEvents);
    CHECK(moved.outputs.at(0).fromRun->relative < 1e-4);
    REQUIRE(moved.limits);
    // At least a tenth of the memory's rate, and no more than all of it: with cold caches every byte moves.
    CHECK(moved.bytesPerSecond().value() > 0.1 * moved.limits->bytesPerSecond);
    CHECK(moved.bytesPerSecond().value() < 1.02 * moved.limits->bytesPerSecond);
}

TEST_CASE("a fused kernel on the GPU equals ATen there, and moves less than its operators one by one") {
    const auto device = firstGpu();
    if (!device || test::nvrtcOrSkip() == nullptr) {
        return;
    }
    session::RerunRequest request;
    request.graph = softmaxGraph();
    request.run.seed = 5;
    request.run.device = *device;
    request.settings.repetitions = 20;
    request.nodes = {"_softmax", "mul"};
    const session::RerunResult operators = reran(request);
    request.kernel = session::RerunKernel{};
    const session::RerunResult kernel = reran(request);
    REQUIRE(kernel.build);
    CHECK_FALSE(kernel.build->isRefused());
    CHECK(kernel.outputs.at(0).fromRun->relative < 1e-5);
    CHECK(session::rerunTimes(kernel.samples)->median < session::rerunTimes(operators.samples)->median);
    const auto check = test::backend().checkKernels(*request.graph, request.run, {});
    REQUIRE(check.ok());
    CHECK(check->agrees());
}
