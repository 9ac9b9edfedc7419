#include "kernels/device_figures.h"

#include "kernels/occupancy.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace aotscope;
using namespace aotscope::kernels;

TEST_CASE("the figures of each device agree with each other") {
    CHECK(shippedDevices().size() == 8);
    // Float32 lanes of a multiprocessor: NVIDIA's CUDA programming guide, "Arithmetic instructions".
    const std::map<std::string, double> lanes{{"sm_80", 64}, {"sm_89", 128}, {"sm_90", 128}, {"sm_100", 128}};
    for (const DeviceFigures& device : shippedDevices()) {
        CAPTURE(device.name);
        REQUIRE(lanes.contains(device.architecture));
        CHECK(multiprocessorLimits(device.architecture).ok());
        // Each lane does a multiplication and an addition in a cycle.
        const double fp32 = device.multiprocessors * lanes.at(device.architecture) * 2 * device.boostHertz;
        CHECK(device.fp32 == doctest::Approx(fp32).epsilon(0.01));
        CHECK(device.tf32Tensor >= device.fp32);
        CHECK(device.bf16Tensor == doctest::Approx(2 * device.tf32Tensor).epsilon(0.03));
        CHECK(device.memoryBytes >= 24e9);
        CHECK(device.bandwidth > 1e12);
        CHECK(device.l2Bytes >= 40.0 * 1024 * 1024);
        CHECK_FALSE(device.source.empty());
    }
}

TEST_CASE("devices are found by the beginning of their name") {
    CHECK(deviceByName("h100")->name == "H100 SXM");
    CHECK(deviceByName("H100 pcie")->name == "H100 PCIe");
    CHECK(deviceByName("A100")->name == "A100 80GB SXM");
    CHECK(deviceByName("a10040gb")->name == "A100 40GB");
    CHECK(deviceByName("RTX 4090")->architecture == "sm_89");
    for (const char* unknown : {"", "V100", "H100 SXM 6"}) {
        const auto none = deviceByName(unknown);
        REQUIRE_FALSE(none.ok());
        CHECK(none.error().code == "kernels.unknown_device");
        CHECK(none.error().hint.find("B200") != std::string::npos);
    }
}

TEST_CASE("a table with a wrong line is an error at that line") {
    const auto wrong = readDeviceFigures("# comment\n=== X\narchitecture = sm_90\nbandwidth_gbs = fast\n");
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.error().code == "kernels.bad_devices");
    CHECK(wrong.error().place.line == 4);
    CHECK_FALSE(readDeviceFigures("bandwidth_gbs = 3\n").ok());
    CHECK_FALSE(readDeviceFigures("=== X\nsomething = 3\n").ok());
    CHECK_FALSE(readDeviceFigures("=== X\nfp32 = -3\n").ok());
}

TEST_CASE("the longer of transfer and computation is the predicted time, and small kernels take a launch") {
    const DeviceFigures h100 = *deviceByName("H100 SXM");
    // An addition of 2^28 float32 elements: 3 GiB at 3.35 TB/s.
    const double elements = 268'435'456;
    const PredictedTime add = predictTime(
        h100, {.bytesRead = 8 * elements, .bytesWritten = 4 * elements, .vectorOperations = elements});
    CHECK(add.limit == TimeLimit::Memory);
    CHECK(add.seconds() == doctest::Approx(961.6e-6).epsilon(0.001));
    // A product of bfloat16 matrices of 8192: 2 * 8192^3 operations at 989.4 TFLOP/s.
    const double side = 8192;
    const KernelWork product{.bytesRead = 4 * side * side,
                             .bytesWritten = 2 * side * side,
                             .matrixOperations = 2 * side * side * side,
                             .dtype = ir::DType::BFloat16};
    const PredictedTime mm = predictTime(h100, product);
    CHECK(mm.limit == TimeLimit::Compute);
    CHECK(mm.seconds() == doctest::Approx(1111.3e-6).epsilon(0.001));
    // In float32 no tensor cores take part unless TF32 is allowed.
    KernelWork single = product;
    single.dtype = ir::DType::Float32;
    CHECK(predictTime(h100, single).seconds() == doctest::Approx(16.41e-3).epsilon(0.001));
    single.allowsTf32 = true;
    CHECK(predictTime(h100, single).seconds() == doctest::Approx(2.2226e-3).epsilon(0.001));
    const PredictedTime small = predictTime(h100, {.bytesRead = 4096, .bytesWritten = 4096});
    CHECK(small.limit == TimeLimit::Launch);
    CHECK(small.seconds() == launchSeconds);
}
