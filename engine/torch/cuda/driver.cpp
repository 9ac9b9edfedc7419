#include "cuda/driver.h"

#include "dispatch/lost_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

namespace aotscope::torch {

namespace {

constexpr char driverLibrary[] = "libcuda.so.1";
/// CUDA_ERROR_OUT_OF_MEMORY
constexpr int outOfMemory = 2;

/// Falls back to the code's number if the driver's error functions are not loaded.
std::string errorText(const CudaDriver& driver, int code) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver.errorName != nullptr && driver.errorText != nullptr && driver.errorName(code, &name) == 0 &&
        driver.errorText(code, &text) == 0 && name != nullptr && text != nullptr) {
        return std::string(text) + " (" + name + ")";
    }
    return "error " + std::to_string(code);
}

} // namespace

base::Result<CudaDriver> CudaDriver::open(const std::string& library) {
    // Never closed: contexts and threads of the driver live as long as the process.
    void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        return base::Error{
            .code = "cuda.no_driver", .message = "There is no NVIDIA driver here.", .notes = {dlerror()}};
    }
    CudaDriver driver;
    std::string missing;
    const auto find = [&](const char* symbol) {
        void* found = dlsym(opened, symbol);
        if (found == nullptr) {
            missing = missing.empty() ? symbol : missing;
        }
        return found;
    };
#define AOTSCOPE_CUDA_FIND(name, symbol, parameters)                                                         \
    driver.name = reinterpret_cast<decltype(driver.name)>(find(symbol));
    AOTSCOPE_CUDA_FUNCTIONS(AOTSCOPE_CUDA_FIND)
#undef AOTSCOPE_CUDA_FIND
    if (!missing.empty()) {
        return base::Error{.code = "cuda.old_driver",
                           .message =
                               "The NVIDIA driver here is too old: it has no function " + missing + "."};
    }
    AOTSCOPE_CHECK(driver.check(driver.init(0), "starting the driver"));
    return driver;
}

const base::Result<CudaDriver>& CudaDriver::machine() {
    static const base::Result<CudaDriver> driver = [] {
        const char* given = std::getenv("AOTSCOPE_CUDA_DRIVER");
        return open(given != nullptr ? given : driverLibrary);
    }();
    return driver;
}

base::Result<void> CudaDriver::check(int code, const std::string& doing) const {
    if (code == 0) {
        return {};
    }
    std::string message = "CUDA failed while " + doing + ": " + aotscope::torch::errorText(*this, code) + ".";
    if (losesDevice(code)) {
        return lostDeviceError(message);
    }
    if (code == outOfMemory) {
        return base::Error{.code = "run.too_large",
                           .message = std::move(message),
                           .hint = "Choose smaller values for the graph's symbols, or end other programs "
                                   "that use the GPU."};
    }
    return base::Error{.code = "cuda.failed", .message = std::move(message)};
}

base::Result<void> useDevice(const CudaDriver& driver, int device) {
    int handle = 0;
    AOTSCOPE_CHECK(driver.check(driver.device(&handle, device), "looking for GPU " + std::to_string(device)));
    // Kept for the life of the process, as LibTorch keeps it: its tensors live in it.
    CudaContext* context = nullptr;
    AOTSCOPE_CHECK(driver.check(driver.retainContext(&context, handle), "opening the GPU"));
    return driver.check(driver.setContext(context), "choosing the GPU");
}

} // namespace aotscope::torch
