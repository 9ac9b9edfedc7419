#include "fake_device.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>

namespace fake_cuda {

namespace {

struct Memory {
    std::mutex mutex;
    std::map<const char*, std::size_t> ranges;
    std::size_t used = 0;
};

/// Never destroyed: tensors may be freed after everything else.
Memory& memory() {
    static Memory* const instance = new Memory;
    return *instance;
}

std::size_t mostMemory() {
    const char* given = std::getenv("FAKE_CUDA_MEMORY");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::numeric_limits<std::size_t>::max();
}

void appendLine(const char* variable, const std::string& line) {
    if (const char* file = std::getenv(variable)) {
        std::ofstream(file, std::ios::app) << line << "\n";
    }
}

std::atomic<std::int64_t> clock{0};
std::atomic<int> lostTo{0};

} // namespace

void work(std::int64_t nanoseconds) {
    clock += nanoseconds;
}

std::int64_t now() {
    return clock;
}

void log(const std::string& line) {
    appendLine("FAKE_CUDA_LOG", line);
}

void logWait() {
    appendLine("FAKE_CUDA_WAITS", "wait");
}

bool take(void* begin, std::size_t bytes) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    if (bytes > mostMemory() - std::min(all.used, mostMemory())) {
        return false;
    }
    all.used += bytes;
    all.ranges[static_cast<const char*>(begin)] = bytes;
    return true;
}

void give(const void* begin) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    if (const auto range = all.ranges.find(static_cast<const char*>(begin)); range != all.ranges.end()) {
        all.used -= range->second;
        all.ranges.erase(range);
    }
}

bool isOwn(const void* address) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    const auto* byte = static_cast<const char*>(address);
    const auto after = all.ranges.upper_bound(byte);
    if (after == all.ranges.begin()) {
        return false;
    }
    const auto& [begin, bytes] = *std::prev(after);
    return byte < begin + bytes;
}

int lost() {
    return lostTo;
}

void lose(int error) {
    lostTo = error;
}

int launchError() {
    static std::atomic<int> launches{0};
    const char* given = std::getenv("FAKE_CUDA_LAUNCH");
    if (given == nullptr) {
        return 0;
    }
    const std::string text = given;
    const std::size_t at = text.find('@');
    return ++launches == std::stoi(text.substr(at + 1)) ? std::stoi(text) : 0;
}

ErrorWords wordsOf(int error) {
    switch (error) {
    case 2:
        return {"CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory"};
    case 100:
        return {"CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected"};
    case 200:
        return {"CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage", "device kernel image is invalid"};
    case 218:
        return {"CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "a PTX JIT compilation failed"};
    case 700:
        return {"CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress",
                "an illegal memory access was encountered"};
    case 701:
        return {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources",
                "too many resources requested for launch"};
    case 719:
        return {"CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure"};
    default:
        return {"CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue", "invalid argument"};
    }
}

} // namespace fake_cuda
