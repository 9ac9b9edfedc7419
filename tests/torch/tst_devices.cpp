// The devices of a machine with a driver that pretends, and without one; what is missing and how to install
// it.
#include "cuda/cuda_libraries.h"
#include "cuda/devices.h"
#include "dispatch/lost_device.h"
#include "fake_cuda/fake_cuda.h"
#include "support/temp_folder.h"

#include "contract/devices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace aotscope;
using session::DeviceChoice;

namespace {

DeviceChoice cuda(int index) {
    return {DeviceChoice::Kind::Cuda, index};
}

session::DeviceList listWith(int devices, const torch::CudaLibraries& libraries) {
    setenv("FAKE_CUDA_DEVICES", std::to_string(devices).c_str(), 1); // NOLINT
    return torch::listDevices(torch::CudaDriver::open(test::fakeDriver()), libraries);
}

/// A folder like that of a Python's packages, with this process's libtorch_cuda and none of NVIDIA's wheels.
torch::CudaLibraries pythonPackages(const test::TempFolder& folder) {
    const std::filesystem::path libraries = folder.path() / "site-packages/torch/lib";
    std::filesystem::create_directories(libraries);
    const torch::CudaLibraries ours = torch::cudaLibraries();
    for (const auto& file : std::filesystem::directory_iterator(ours.torch)) {
        std::filesystem::create_symlink(file.path(), libraries / file.path().filename());
    }
    return torch::cudaLibrariesAt(libraries);
}

const session::MissingLibrary* named(const session::DeviceList& list, const std::string& name) {
    const auto found = std::ranges::find(list.missing, name, &session::MissingLibrary::name);
    return found == list.missing.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("a device is written as in PyTorch, and read back") {
    CHECK(session::deviceChoiceFromText("cpu").value() == DeviceChoice());
    CHECK(session::deviceChoiceFromText("cuda").value() == cuda(0));
    CHECK(session::deviceChoiceFromText("cuda:3").value() == cuda(3));
    CHECK(cuda(3).text() == "cuda:3");
    CHECK(DeviceChoice().text() == "cpu");
    for (const char* wrong :
         {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:1000", "CPU", "cpu:0"}) {
        CAPTURE(wrong);
        const auto read = session::deviceChoiceFromText(wrong);
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == "run.device_name");
    }
}

TEST_CASE("GPUs are listed with the peaks that follow from their clocks") {
    // An H100 SXM: 3.35 TB/s and 66.9 TFLOP/s of float32, as NVIDIA's data sheet says.
    const session::DeviceList list = listWith(2, torch::cudaLibraries());
    REQUIRE(list.devices.size() == 3);
    CHECK(list.devices[0].device == DeviceChoice());
    CHECK_FALSE(list.devices[0].name.empty());
    CHECK(list.devices[0].cores > 0);
    CHECK(list.devices[0].memoryBytes > (std::int64_t{1} << 28));
    const session::DeviceInfo& gpu = list.devices[2];
    CHECK(gpu.device == cuda(1));
    CHECK(gpu.name == "Fake H100 1");
    CHECK(gpu.memoryBytes == std::int64_t{80} << 30);
    CHECK(gpu.computeCapability == "9.0");
    CHECK(gpu.cores == 132);
    CHECK(gpu.l2Bytes == 50 << 20);
    CHECK(gpu.peakBytesPerSecond == doctest::Approx(3.35e12).epsilon(0.001));
    CHECK(gpu.peakFlopsPerSecond == doctest::Approx(66.9e12).epsilon(0.001));
    CHECK(list.driverVersion == "13.2");
}

TEST_CASE("without a driver or a GPU the list says why, and a run on one gets that as its error") {
    const session::DeviceList none =
        torch::listDevices(torch::CudaDriver::open("/nonexistent/libcuda.so.1"), torch::cudaLibraries());
    CHECK(none.devices.size() == 1);
    CHECK(none.noGpu.find("driver") != std::string::npos);
    REQUIRE(named(none, "the NVIDIA driver") != nullptr);
    CHECK(named(none, "the NVIDIA driver")->install.find("nvidia-driver") != std::string::npos);
    const auto refused = session::checkDevice(none, cuda(0));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == "run.no_gpu");
    CHECK(refused.error().hint.find("--device cpu") != std::string::npos);
    CHECK(refused.error().hint.find("nvidia-driver") != std::string::npos);
    CHECK(session::checkDevice(none, {}).ok());

    const session::DeviceList noGpu = listWith(0, torch::cudaLibraries());
    CHECK(noGpu.noGpu.find("no CUDA-capable device is detected") != std::string::npos);
}

TEST_CASE("a GPU that is not there is refused by name") {
    session::DeviceList list = listWith(2, torch::cudaLibraries());
    list.noGpu.clear();
    CHECK(session::checkDevice(list, cuda(1)).ok());
    const auto refused = session::checkDevice(list, cuda(2));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("cuda:2") != std::string::npos);
}

TEST_CASE("the libraries that libtorch_cuda needs and that are not there are named, each with its wheel") {
    const test::TempFolder folder;
    const torch::CudaLibraries libraries = pythonPackages(folder);
    if (!std::filesystem::exists(libraries.torchCuda)) {
        MESSAGE("this LibTorch has no CUDA half");
        CHECK(torch::missingLibraries(libraries).front().name == "libtorch_cuda");
        return;
    }
    const session::DeviceList list = listWith(1, libraries);
    // Those that libtorch_cpu needs itself are in this process already.
    CHECK(named(list, "CUPTI") == nullptr);
    for (const auto& [name, wheel] : {std::pair{"cuBLAS", "pip install nvidia-cublas"},
                                      std::pair{"cuDNN", "pip install nvidia-cudnn-cu1"},
                                      std::pair{"NCCL", "pip install nvidia-nccl-cu1"}}) {
        CAPTURE(name);
        const session::MissingLibrary* library = named(list, name);
        if (library == nullptr) {
            MESSAGE("this machine has it: " << std::string(name));
            continue;
        }
        CHECK(library->install.starts_with(wheel));
        CHECK(library->detail.find(".so") != std::string::npos);
        CHECK(list.noGpu.find("is missing") != std::string::npos);
    }
    // Once the wheel is there, it is not missing any more.
    if (const session::MissingLibrary* library = named(list, "cuDNN")) {
        const std::filesystem::path wheel = folder.path() / "site-packages/nvidia/cudnn/lib";
        std::filesystem::create_directories(wheel);
        std::filesystem::create_symlink(test::fakeDriver(), wheel / library->detail);
        CHECK(named(listWith(1, torch::cudaLibrariesAt(libraries.torch)), "cuDNN") == nullptr);
    }
}

TEST_CASE("what a library needs is read from its file") {
    const torch::CudaLibraries ours = torch::cudaLibraries();
    const std::vector<std::string> needed = torch::neededLibraries(ours.torch / "libtorch_cpu.so");
    CHECK(std::ranges::find(needed, "libc10.so") != needed.end());
    CHECK(std::ranges::find(needed, "libc.so.6") != needed.end());
    CHECK(torch::neededLibraries(ours.torch / "no_such_file.so").empty());
    CHECK(torch::neededLibraries("/etc/passwd").empty());
}

TEST_CASE("float32 rates are those of NVIDIA's programming guide") {
    // Throughput of 32-bit floating-point add, multiply, multiply-add per clock and multiprocessor.
    CHECK(torch::float32PerClock(7, 0) == 64);
    CHECK(torch::float32PerClock(7, 5) == 64);
    CHECK(torch::float32PerClock(8, 0) == 64);
    CHECK(torch::float32PerClock(8, 6) == 128);
    CHECK(torch::float32PerClock(8, 9) == 128);
    CHECK(torch::float32PerClock(9, 0) == 128);
    CHECK(torch::float32PerClock(10, 0) == 128);
    CHECK(torch::float32PerClock(2, 0) == 0);
}

TEST_CASE("errors that end CUDA in a process are known by number and by name") {
    CHECK(torch::losesDevice(700));
    CHECK(torch::losesDevice(719));
    CHECK_FALSE(torch::losesDevice(2));
    CHECK_FALSE(torch::losesDevice(1));
    CHECK(torch::namesLostDevice("CUDA error: ... Search for `cudaErrorMisalignedAddress' in"));
    CHECK_FALSE(torch::namesLostDevice("CUDA error: out of memory, cudaErrorMemoryAllocation"));
}
