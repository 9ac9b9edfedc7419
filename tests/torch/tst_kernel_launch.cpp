// Kernels loaded, launched and timed through a driver that pretends: which functions are called with what,
// and what becomes of its errors.
#include "cuda/kernel_launch.h"
#include "fake_cuda/fake_cuda.h"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <array>
#include <cstring>

using namespace aotscope;
using torch::KernelArgument;
using torch::LoadedKernel;

namespace {

torch::CudaDriver driver() {
    auto opened = torch::CudaDriver::open(test::fakeDriver());
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().text()));
    return *opened;
}

LoadedKernel loaded(const std::string& name) {
    auto kernel = LoadedKernel::load(driver(), 0, ".version 8.0", name);
    REQUIRE_MESSAGE(kernel.ok(), (kernel.ok() ? "" : kernel.error().text()));
    return std::move(kernel).value();
}

int loadedModules() {
    void* library = dlopen(test::fakeDriver().c_str(), RTLD_LAZY);
    return reinterpret_cast<int (*)()>(dlsym(library, "fakeCudaLoadedModules"))();
}

} // namespace

TEST_CASE("without a driver the error names it, and a library that is none lacks its functions") {
    const auto none = torch::CudaDriver::open("/nonexistent/libcuda.so.1");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == "cuda.no_driver");
    const auto other = torch::CudaDriver::open("libdl.so.2");
    REQUIRE_FALSE(other.ok());
    CHECK(other.error().code == "cuda.old_driver");
    CHECK(other.error().message.find("cuInit") != std::string::npos);
}

TEST_CASE("a kernel gets its parameters, of each type, and runs with every thread") {
    const LoadedKernel kernel = loaded("add_scaled");
    std::array<float, 1000> data{};
    data.fill(1.0F);
    const torch::LaunchShape shape{{4, 1, 1}, {256, 1, 1}, 0};
    const std::vector<KernelArgument> arguments{
        torch::DeviceAddress{reinterpret_cast<std::uint64_t>(data.data())}, std::int64_t{1000}, 0.5F};
    REQUIRE(kernel.launch(shape, arguments).ok());
    CHECK(data[0] == 1.0F);
    CHECK(data[1] == 1.5F);
    CHECK(data[999] == 1.0F + 0.5F * 999);
    // The same values as the bytes of structs.
    const auto bytesOf = [](auto value) {
        std::vector<std::byte> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        return bytes;
    };
    REQUIRE(kernel.launch(shape, {bytesOf(data.data()), bytesOf(std::int64_t{2}), bytesOf(1.0F)}).ok());
    CHECK(data[1] == 2.5F);
    CHECK(data[2] == 2.0F);
}

TEST_CASE("more than 48 KiB of shared memory is asked for before the launch") {
    const LoadedKernel kernel = loaded("add_scaled");
    const std::vector<KernelArgument> nothing{torch::DeviceAddress{0}, std::int64_t{0}, 0.0F};
    CHECK(kernel.launch({{1, 1, 1}, {32, 1, 1}, 100 * 1024}, nothing).ok());
    const auto tooMuch = kernel.launch({{1, 1, 1}, {32, 1, 1}, 300 * 1024}, nothing);
    REQUIRE_FALSE(tooMuch.ok());
    CHECK(tooMuch.error().message.find("shared memory") != std::string::npos);
    const auto noBlock = kernel.launch({{0, 1, 1}, {32, 1, 1}, 0}, nothing);
    REQUIRE_FALSE(noBlock.ok());
    CHECK(noBlock.error().code == "cuda.launch_shape");
}

TEST_CASE("modules are unloaded with their kernels") {
    const int before = loadedModules();
    {
        LoadedKernel kernel = loaded("add_scaled");
        const LoadedKernel moved = std::move(kernel);
        CHECK(loadedModules() == before + 1);
    }
    CHECK(loadedModules() == before);
    CHECK_FALSE(LoadedKernel::load(driver(), 0, ".version 8.0", "not_there").ok());
    CHECK(loadedModules() == before);
}

TEST_CASE("what the driver cannot compile is an error with the driver's log") {
    const auto broken = LoadedKernel::load(driver(), 0, "broken", "add_scaled");
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().code == "cuda.failed");
    CHECK(broken.error().message == "CUDA failed while loading the kernel add_scaled: a PTX JIT compilation "
                                    "failed (CUDA_ERROR_INVALID_PTX).");
    CHECK(broken.error().notes ==
          std::vector<std::string>{"line 3: fatal: unknown opcode", "line 4: and more"});
    CHECK_FALSE(LoadedKernel::load(driver(), 7, ".version 8.0", "add_scaled").ok());
}

TEST_CASE("repetitions are timed after the warm-up, restored before each, and stop when asked") {
    int worked = 0;
    int restored = 0;
    const auto work = [&] {
        CHECK(restored == ++worked);
        return base::Result<void>();
    };
    const auto before = [&] {
        ++restored;
        return base::Result<void>();
    };
    const auto times = torch::timeOnDevice(driver(), 0, {2, 5, true}, work, before);
    REQUIRE(times.ok());
    CHECK(times->size() == 5);
    CHECK(worked == 7);
    CHECK(std::ranges::all_of(*times, [](double time) { return time >= 0 && time < 1000; }));
    const auto stopped = torch::timeOnDevice(
        driver(), 0, {0, 100, false}, [] { return base::Result<void>(); }, {},
        [count = 0]() mutable { return ++count > 3; });
    REQUIRE(stopped.ok());
    CHECK(stopped->size() == 3);
}

TEST_CASE("a copy's bandwidth counts what is read and what is written") {
    const auto bandwidth = torch::copyBandwidth(driver(), 0, 64 << 20, 5);
    REQUIRE(bandwidth.ok());
    // The copy is one of this machine's memory.
    CHECK(*bandwidth > 1e8);
    CHECK(*bandwidth < 1e13);
    CHECK_FALSE(torch::copyBandwidth(driver(), 0, 0).ok());
}

// The last one: the pretended process has lost its GPU afterwards.
TEST_CASE("a wrong address is told by the wait after the launch, and by every call after that") {
    const LoadedKernel kernel = loaded("wrong_address");
    REQUIRE(kernel.launch({}, {}).ok());
    const auto waited = torch::awaitDevice(driver(), 0);
    REQUIRE_FALSE(waited.ok());
    CHECK(waited.error().code == "cuda.lost");
    CHECK(waited.error().message == "CUDA failed while waiting for the GPU: an illegal memory access was "
                                    "encountered (CUDA_ERROR_ILLEGAL_ADDRESS).");
    const auto again = kernel.launch({}, {});
    REQUIRE_FALSE(again.ok());
    CHECK(again.error().code == "cuda.lost");
}
