// What needs a real GPU. Without one every case says so, and ctest counts the test as skipped.
#include "kernels/nvrtc_or_skip.h"
#include "run_support.h"

#include "kernels/fusion_plan.h"

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
    const auto cpu = test::backend().answer(session::RunCall{graph, options});
    options.device = *device;
    const auto gpu = test::backend().answer(session::RunCall{graph, options});
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
    auto result = test::backend().answer(request);
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

session::RerunRequest softmaxRequest() {
    session::RerunRequest request;
    request.graph = softmaxGraph();
    request.nodes = {"_softmax", "mul"};
    request.run.seed = 5;
    request.settings.repetitions = 20;
    return request;
}

} // namespace

TEST_CASE("operators on the GPU are timed within what its memory allows, and differ little from the CPU's") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    session::RerunRequest request = softmaxRequest();
    request.settings.coldCache = true;
    request.settings.changes.device = device->text();
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
    session::RerunRequest request = softmaxRequest();
    request.run.device = *device;
    const session::RerunResult operators = reran(request);
    request.kernel = session::RerunKernel{};
    const session::RerunResult kernel = reran(request);
    REQUIRE(kernel.build);
    CHECK_FALSE(kernel.build->isRefused());
    CHECK(kernel.outputs.at(0).fromRun->relative < 1e-5);
    CHECK(session::rerunTimes(kernel.samples)->median < session::rerunTimes(operators.samples)->median);
    const auto check = test::backend().answer(session::KernelsCall{request.graph, request.run});
    REQUIRE(check.ok());
    CHECK(check->agrees());
}

namespace {

session::RunSnapshot ranOn(const session::DeviceChoice& device, const ir::GraphPtr& graph,
                           session::RunOptions options = test::seeded(5)) {
    options.device = device;
    return test::ran(graph, std::move(options));
}

/// The largest difference, as a fraction of the largest magnitude.
double relativeDistance(const std::vector<float>& left, const std::vector<float>& right) {
    REQUIRE(left.size() == right.size());
    double apart = 0;
    double largest = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        apart = std::max(apart, std::abs(double{left[i]} - double{right[i]}));
        largest = std::max(largest, std::abs(double{right[i]}));
    }
    return apart / largest;
}

} // namespace

TEST_CASE("random numbers of fused kernels are those of the GPU's own generator") {
    const auto device = firstGpu();
    if (!device || test::nvrtcOrSkip() == nullptr) {
        return;
    }
    // More elements than one number for each thread of the GPU.
    const ir::GraphPtr drawn = test::graphOf(
        "x: \"f32[1][1]cuda:0\"",
        "        rand: \"f32[1000003][1]cuda:0\" = torch.ops.aten.rand.default([1000003], dtype = "
        "torch.float32, device = device(type='cuda', index=0), pin_memory = False)\n"
        "        return (rand,)\n");
    const ir::GraphPtr computed = test::graphOf(
        "seed: \"i64[][]cuda:0\", offset: \"i64[][]cuda:0\"",
        "        philox_rand = torch.ops.rngprims.philox_rand.default([1000003], seed, offset, None, "
        "device(type='cuda', index=0), torch.float32)\n"
        "        getitem: \"f32[1000003][1]cuda:0\" = philox_rand[0]\n"
        "        return (getitem,)\n");
    session::RunOptions fused =
        test::withInputs({{"seed", test::integers({}, {5})}, {"offset", test::integers({}, {0})}});
    fused.fused = true;
    CHECK(test::numbers<float>(ranOn(*device, computed, fused).outputs.at(0)) ==
          test::numbers<float>(ranOn(*device, drawn).outputs.at(0)));
}

TEST_CASE("what only the CPU's kernels take is computed on the GPU too") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    const ir::GraphPtr graph = test::graphOf(
        "q: \"f32[2, 4, 16, 8][512, 128, 8, 1]cpu\", k: \"f32[2, 4, 16, 8][512, 128, 8, 1]cpu\"",
        "        attention = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, k, "
        "0.0, True)\n"
        "        getitem: \"f32[2, 4, 16, 8][512, 8, 32, 1]cpu\" = attention[0]\n"
        "        getitem_1: \"f32[2, 4, 16][64, 1, 4]cpu\" = attention[1]\n"
        "        return (getitem, getitem_1)\n");
    const session::RunSnapshot here = ranOn({}, graph);
    const session::RunSnapshot there = ranOn(*device, graph);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(relativeDistance(test::numbers<float>(there.outputs.at(i)),
                               test::numbers<float>(here.outputs.at(i))) < 1e-5);
    }
    CHECK(std::ranges::any_of(there.notes, [](const std::string& note) {
        return note.starts_with("Attention by the CPU's own kernel");
    }));
}

TEST_CASE("an operator that a GPU lacks is named, and the GPU goes on") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    const ir::GraphPtr graph =
        test::graphOf("x: \"f32[4, 4][4, 1]cpu\"",
                      "        packed: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.to_mkldnn.default(x)\n"
                      "        return (packed,)\n");
    session::RunOptions options = test::seeded(5);
    options.device = *device;
    const auto result = test::backend().answer(session::RunCall{graph, options});
    REQUIRE(result.ok());
    REQUIRE(result->error);
    INFO(result->error->message);
    CHECK(result->error->message.find("aten") != std::string::npos);
    CHECK(result->error->message.size() < 300);
    CHECK(ranOn(*device, softmaxGraph()).outputs.size() == 1);
}

TEST_CASE("a product with a bias is charged with its own memory, and none of cuBLAS") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    const ir::GraphPtr graph =
        test::graphOf("b: \"f32[8][1]cuda:0\", x: \"f32[16, 4][4, 1]cuda:0\", w: \"f32[4, 8][8, 1]cuda:0\"",
                      "        addmm: \"f32[16, 8][8, 1]cuda:0\" = torch.ops.aten.addmm.default(b, x, w)\n"
                      "        return (addmm,)\n");
    CHECK(ranOn(*device, graph).peakBytes == 512);
}

TEST_CASE("convolutions that the GPU multiplies in TensorFloat-32 are no wrong ops") {
    const auto device = firstGpu();
    if (!device) {
        return;
    }
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[8, 64, 28, 28][50176, 784, 28, 1]cuda:0\", w: \"f32[64, 64, 3, 3][576, 9, 3, 1]cuda:0\"",
        "        convolution: \"f32[8, 64, 28, 28][50176, 784, 28, 1]cuda:0\" = "
        "torch.ops.aten.convolution.default(x, w, "
        "None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)\n"
        "        return (convolution,)\n");
    session::RunOptions options = test::seeded(5);
    options.device = *device;
    const auto compared = test::backend().answer(session::ReferenceCall{graph, graph, options});
    REQUIRE_MESSAGE(compared.ok(), (compared.ok() ? "" : compared.error().text()));
    CHECK_FALSE(compared->firstWrong);
    const auto convolution = std::ranges::find_if(
        compared->nodes, [](const session::NodeError& error) { return error.own.relative > 1e-6; });
    // It does round to ten bits there.
    CHECK(convolution != compared->nodes.end());
}

TEST_CASE(
    "a kernel that writes where it has no memory costs the GPU once; the next rerun has a new process") {
    const auto device = firstGpu();
    if (!device || test::nvrtcOrSkip() == nullptr) {
        return;
    }
    session::RerunRequest request = softmaxRequest();
    request.run.device = *device;
    request.kernel = session::RerunKernel{};
    const kernels::FusionPlan plan = kernels::planFusion(*request.graph);
    const std::string name = plan.groups.at(0).kernel.name;
    session::RerunRequest wild = request;
    wild.kernel->source =
        "extern \"C\" __global__ void " + name +
        "(const float* in0, float* out0) { *(volatile float*)(threadIdx.x * 16ull) = in0[0]; }\n";
    const auto lost = test::backend().answer(wild);
    REQUIRE_FALSE(lost.ok());
    INFO(lost.error().text());
    CHECK(lost.error().code == "cuda.lost");
    CHECK(reran(request).outputs.at(0).fromRun->relative < 1e-5);
}
