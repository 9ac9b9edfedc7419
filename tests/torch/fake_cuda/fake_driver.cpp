// A driver without a GPU: device memory is the host's, and kernels are functions of this file, found by name,
// or those of a cubin, whose text the host compiler compiles (fake_kernels.h). The GPU's clock goes on by
// what it is given to do: 1 ns for each thread of a launch, 1 ns for 1000 bytes that are read or written. A
// launch that fails does so as CUDA does: the error comes with the next wait, and stays.
#include "fake_device.h"
#include "fake_kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace {

using fake_cuda::lost;

constexpr int invalidValue = 1;
constexpr int outOfMemory = 2;
constexpr int noDevice = 100;
constexpr int invalidDevice = 101;
constexpr int invalidImage = 200;
constexpr int invalidPtx = 218;
constexpr int notFound = 500;
constexpr int illegalAddress = 700;
constexpr int launchFailed = 719;

struct FakeFunction {
    std::string name;
    int dynamicShared = 0;
    /// Of an image; no entry: a function of this file.
    fake_cuda::ImageKernel kernel = {};
};
struct FakeModule {
    std::map<std::string, FakeFunction> functions;
};
struct FakeEvent {
    std::int64_t at = 0;
};

int& loadedModules() {
    static int count = 0;
    return count;
}

int devices() {
    const char* given = std::getenv("FAKE_CUDA_DEVICES");
    return given != nullptr ? std::atoi(given) : 1;
}

/// An H100's, as NVIDIA's driver tells them.
const std::map<int, int>& attributes() {
    static const std::map<int, int> all{{13, 1980000},  {16, 132}, {36, 2619000}, {37, 5120},
                                        {38, 50 << 20}, {75, 9},   {76, 0}};
    return all;
}

/// Errors of a kernel's addresses come with the next wait.
int run(const FakeFunction& function, unsigned grid, unsigned block, unsigned shared, void** parameters) {
    fake_cuda::log("launch " + function.name + " " + std::to_string(grid) + " " + std::to_string(block) +
                   " " + std::to_string(shared));
    fake_cuda::work(std::int64_t{grid} * block);
    for (std::size_t i = 0; i < function.kernel.parameters; ++i) {
        void* pointer = nullptr;
        std::memcpy(&pointer, parameters[i], sizeof pointer);
        if (!fake_cuda::isOwn(pointer)) {
            fake_cuda::lose(illegalAddress);
            return 0;
        }
    }
    function.kernel.entry(parameters, grid, block, shared);
    return 0;
}

template<typename T>
T parameter(void** parameters, std::size_t index) {
    T value;
    std::memcpy(&value, parameters[index], sizeof value);
    return value;
}

int runOwn(const FakeFunction& function, std::size_t threads, void** parameters) {
    if (function.name == "add_scaled") {
        auto* out = reinterpret_cast<float*>(parameter<std::uint64_t>(parameters, 0));
        const auto count = parameter<std::int64_t>(parameters, 1);
        const auto scale = parameter<float>(parameters, 2);
        for (std::size_t i = 0; i < std::min(threads, static_cast<std::size_t>(count)); ++i) {
            out[i] += scale * static_cast<float>(i);
        }
        return 0;
    }
    if (function.name == "wrong_address") {
        fake_cuda::lose(illegalAddress);
    }
    return 0;
}

} // namespace

extern "C" {

int cuInit(unsigned) {
    return devices() == 0 ? noDevice : 0;
}
int cuDriverGetVersion(int* version) {
    *version = 13020;
    return 0;
}
int cuGetErrorName(int error, const char** text) {
    *text = fake_cuda::wordsOf(error).driver;
    return error == invalidValue ? invalidValue : 0;
}
int cuGetErrorString(int error, const char** text) {
    *text = fake_cuda::wordsOf(error).text;
    return 0;
}
int cuDeviceGetCount(int* count) {
    *count = devices();
    return 0;
}
int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal < devices() ? 0 : invalidDevice;
}
int cuDeviceGetName(char* name, int size, int device) {
    const std::string text = "Fake H100 " + std::to_string(device);
    std::strncpy(name, text.c_str(), static_cast<std::size_t>(size));
    return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    *bytes = std::size_t{80} << 30U;
    return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
    const auto found = attributes().find(attribute);
    *value = found == attributes().end() ? 0 : found->second;
    return found == attributes().end() ? invalidValue : 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
    static int one = 0;
    *context = &one;
    return 0;
}
int cuCtxSetCurrent(void*) {
    return 0;
}
int cuModuleLoadDataEx(FakeModule** module, const void* image, unsigned count, int* options, void** values) {
    if (fake_cuda::isCubin(image)) {
        fake_cuda::ImageKernel kernel = fake_cuda::kernelOf(image);
        if (kernel.name.empty()) {
            return invalidImage;
        }
        const std::string name = kernel.name;
        *module = new FakeModule{{{name, {name, 0, std::move(kernel)}}}};
        ++loadedModules();
        return lost();
    }
    const std::string_view text(static_cast<const char*>(image));
    if (text.find("broken") != std::string_view::npos) {
        if (count == 2 && options[0] == 5 && options[1] == 6) {
            const auto room = reinterpret_cast<std::uintptr_t>(values[1]);
            std::strncpy(static_cast<char*>(values[0]), "line 3: fatal: unknown opcode\nline 4: and more",
                         room);
        }
        return invalidPtx;
    }
    *module = new FakeModule{{{"add_scaled", {"add_scaled"}}, {"wrong_address", {"wrong_address"}}}};
    ++loadedModules();
    return lost();
}
int cuModuleUnload(FakeModule* module) {
    delete module;
    --loadedModules();
    return 0;
}
int cuModuleGetFunction(FakeFunction** function, FakeModule* module, const char* name) {
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) {
        return notFound;
    }
    *function = &found->second;
    return 0;
}
int cuFuncSetAttribute(FakeFunction* function, int attribute, int value) {
    function->dynamicShared = attribute == 8 ? value : function->dynamicShared;
    return attribute == 8 && value <= 227 * 1024 ? 0 : invalidValue;
}
int cuLaunchKernel(FakeFunction* function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned shared, void*, void** parameters,
                   void** extra) {
    // More than 48 KiB only after asking.
    if (extra != nullptr || (shared > 48 * 1024 && static_cast<int>(shared) > function->dynamicShared)) {
        return invalidValue;
    }
    if (lost() != 0) {
        return lost();
    }
    if (const int error = fake_cuda::launchError(); error != 0) {
        if (error == launchFailed) {
            fake_cuda::lose(error);
            return 0;
        }
        return error;
    }
    if (function->kernel.entry == nullptr) {
        return runOwn(*function, std::size_t{gridX} * gridY * gridZ * blockX * blockY * blockZ, parameters);
    }
    const bool isLine = gridY == 1 && gridZ == 1 && blockY == 1 && blockZ == 1;
    return isLine ? run(*function, gridX, blockX, shared, parameters) : invalidValue;
}
int cuEventCreate(FakeEvent** event, unsigned) {
    *event = new FakeEvent();
    return lost();
}
int cuEventRecord(FakeEvent* event, void*) {
    fake_cuda::log("record");
    event->at = fake_cuda::now();
    return lost();
}
int cuEventSynchronize(FakeEvent*) {
    return lost();
}
int cuEventElapsedTime(float* milliseconds, FakeEvent* start, FakeEvent* end) {
    *milliseconds = static_cast<float>(end->at - start->at) * 1e-6F;
    return lost();
}
int cuEventDestroy_v2(FakeEvent* event) {
    delete event;
    return 0;
}
int cuStreamSynchronize(void*) {
    return lost();
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
    void* data = std::malloc(bytes);
    if (!fake_cuda::take(data, bytes)) {
        std::free(data);
        return outOfMemory;
    }
    *address = reinterpret_cast<std::uint64_t>(data);
    return lost();
}
int cuMemFree_v2(std::uint64_t address) {
    fake_cuda::give(reinterpret_cast<void*>(address));
    std::free(reinterpret_cast<void*>(address));
    return 0;
}
int cuMemsetD8Async(std::uint64_t address, unsigned char value, std::size_t bytes, void*) {
    fake_cuda::log("fill " + std::to_string(bytes));
    fake_cuda::work(static_cast<std::int64_t>(bytes / 1000));
    std::memset(reinterpret_cast<void*>(address), value, bytes);
    return lost();
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
    fake_cuda::work(static_cast<std::int64_t>(2 * bytes / 1000));
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return lost();
}

/// Not of CUDA: how many modules are loaded, for tests.
int fakeCudaLoadedModules() {
    return loadedModules();
}
}
