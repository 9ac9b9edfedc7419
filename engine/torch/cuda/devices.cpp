#include "cuda/devices.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

namespace aotscope::torch {

namespace {

namespace fs = std::filesystem;

// Values of the driver's CUdevice_attribute.
constexpr int clockKilohertz = 13;
constexpr int multiprocessors = 16;
constexpr int memoryClockKilohertz = 36;
constexpr int memoryBusBits = 37;
constexpr int l2Bytes = 38;
constexpr int capabilityMajor = 75;
constexpr int capabilityMinor = 76;

std::string processorName() {
    std::ifstream in("/proc/cpuinfo");
    std::string line;
    while (std::getline(in, line)) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return {};
}

session::DeviceInfo processor() {
    session::DeviceInfo info;
    info.name = processorName();
    if (info.name.empty()) {
        info.name = "a processor that does not tell its name";
    }
    info.cores = static_cast<int>(std::thread::hardware_concurrency());
    info.memoryBytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return info;
}

std::string wordOf(const fs::path& file) {
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
}

/// Whether there is a card of NVIDIA, with a driver or without, as far as the system shows its bus.
bool hasCard() {
    std::error_code error;
    for (const fs::directory_entry& device : fs::directory_iterator("/sys/bus/pci/devices", error)) {
        // Display controllers and 3D controllers.
        if (wordOf(device.path() / "vendor") == "0x10de" &&
            wordOf(device.path() / "class").starts_with("0x03")) {
            return true;
        }
    }
    return false;
}

/// Says why the driver cannot be used.
void explainDriver(const base::Error& error, session::DeviceList& list) {
    const std::string install = "sudo apt-get install nvidia-driver (then restart the machine)";
    if (error.code == "cuda.no_driver") {
        list.noGpu = hasCard() ? "There is an NVIDIA GPU, but no driver for it."
                               : "There is no NVIDIA GPU with a driver in this machine.";
        list.missing.insert(list.missing.begin(), {"the NVIDIA driver", "libcuda.so.1", install});
        return;
    }
    list.noGpu = error.message;
    if (error.code == "cuda.old_driver") {
        list.missing.insert(list.missing.begin(), {"a newer NVIDIA driver", error.message, install});
    }
}

void addGpus(const CudaDriver& driver, session::DeviceList& list) {
    int version = 0;
    if (driver.driverVersion(&version) == 0) {
        list.driverVersion = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }
    int count = 0;
    if (auto counted = driver.check(driver.deviceCount(&count), "counting the GPUs"); !counted) {
        list.noGpu = counted.error().message;
        return;
    }
    if (count == 0) {
        list.noGpu = "The NVIDIA driver finds no GPU.";
    }
    for (int i = 0; i < count; ++i) {
        auto info = gpuInfo(driver, i);
        if (!info) {
            list.noGpu = info.error().message;
            return;
        }
        list.devices.push_back(std::move(info).value());
    }
}

} // namespace

int float32PerClock(int major, int minor) {
    constexpr std::array<int, 13> most{0, 0, 0, 0, 0, 128, 128, 64, 128, 128, 128, 128, 128};
    const auto known = static_cast<std::size_t>(major);
    // The first of the sixth and of the eighth generation have half as many.
    return known >= most.size() ? 0 : (major == 6 || major == 8) && minor == 0 ? 64 : most[known];
}

base::Result<session::DeviceInfo> gpuInfo(const CudaDriver& driver, int ordinal) {
    int device = 0;
    AOTSCOPE_CHECK(driver.check(driver.device(&device, ordinal), "looking for a GPU"));
    session::DeviceInfo info;
    info.device = {session::DeviceChoice::Kind::Cuda, ordinal};
    std::array<char, 256> name{};
    AOTSCOPE_CHECK(
        driver.check(driver.deviceName(name.data(), name.size(), device), "asking for a GPU's name"));
    info.name = name.data();
    std::size_t bytes = 0;
    AOTSCOPE_CHECK(driver.check(driver.deviceMemory(&bytes, device), "asking for a GPU's memory"));
    info.memoryBytes = static_cast<std::int64_t>(bytes);
    // What a driver does not tell stays 0.
    const auto attribute = [&](int which) {
        int value = 0;
        return driver.deviceAttribute(&value, which, device) == 0 ? value : 0;
    };
    const int major = attribute(capabilityMajor);
    const int minor = attribute(capabilityMinor);
    info.computeCapability = std::to_string(major) + "." + std::to_string(minor);
    info.cores = attribute(multiprocessors);
    info.l2Bytes = attribute(l2Bytes);
    // Twice per clock, on every line of the bus.
    info.peakBytesPerSecond =
        2.0 * attribute(memoryClockKilohertz) * 1000.0 * (attribute(memoryBusBits) / 8.0);
    info.peakFlopsPerSecond =
        2.0 * float32PerClock(major, minor) * info.cores * attribute(clockKilohertz) * 1000.0;
    return info;
}

session::DeviceList listDevices(const base::Result<CudaDriver>& driver, const CudaLibraries& libraries) {
    session::DeviceList list;
    list.devices.push_back(processor());
    list.missing = missingLibraries(libraries);
    if (!driver) {
        explainDriver(driver.error(), list);
        return list;
    }
    addGpus(*driver, list);
    if (list.noGpu.empty() && !list.missing.empty()) {
        list.noGpu = "LibTorch's CUDA half cannot be opened: " + list.missing.front().name + " is missing.";
    }
    return list;
}

session::DeviceList machineDevices() {
    return listDevices(CudaDriver::machine(), cudaLibraries());
}

} // namespace aotscope::torch
