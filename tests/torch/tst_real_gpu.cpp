// What needs a real GPU. Without one every case says so, and ctest counts the test as skipped.
#include "run_support.h"

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
