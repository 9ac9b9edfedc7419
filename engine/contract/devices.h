#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// Which device a graph or function runs on. Written as in PyTorch: "cpu", "cuda", "cuda:1".
struct DeviceChoice {
    enum class Kind { Cpu, Cuda };
    Kind kind = Kind::Cpu;
    /// Which of the GPUs, from 0; 0 for the CPU.
    int index = 0;

    [[nodiscard]] bool isCuda() const { return kind == Kind::Cuda; }
    /// "cpu" or "cuda:1"
    [[nodiscard]] std::string text() const;
    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Error: run.device_name (what can be written).
[[nodiscard]] base::Result<DeviceChoice> deviceChoiceFromText(std::string_view text);

/// The processor or a GPU of this machine. What is not known is 0.
struct DeviceInfo {
    DeviceChoice device = {};
    /// "NVIDIA H100 80GB HBM3"; of a CPU its model.
    std::string name = {};
    std::int64_t memoryBytes = 0;
    /// Processor threads of a CPU, streaming multiprocessors of a GPU.
    int cores = 0;
    /// "9.0"; empty for a CPU.
    std::string computeCapability = {};
    std::int64_t l2Bytes = 0;
    /// What the memory's clock and width allow, in bytes per second.
    double peakBytesPerSecond = 0;
    /// What all cores reach with one float32 multiply-add each per clock, in operations per second.
    double peakFlopsPerSecond = 0;
};
AOTSCOPE_MEMBERS(DeviceInfo, device, name, memoryBytes, cores, computeCapability, l2Bytes, peakBytesPerSecond,
                 peakFlopsPerSecond)

/// Something that runs on a GPU need and that is not there.
struct MissingLibrary {
    /// "the NVIDIA driver", "cuBLAS"
    std::string name = {};
    /// The file or the reason, "libcublas.so.13".
    std::string detail = {};
    /// The command that installs it.
    std::string install = {};
    friend bool operator==(const MissingLibrary&, const MissingLibrary&) = default;
};
AOTSCOPE_MEMBERS(MissingLibrary, name, detail, install)

/// The devices of a machine, the CPU first.
struct DeviceList {
    std::vector<DeviceInfo> devices = {};
    /// "13.2"; empty without a driver.
    std::string driverVersion = {};
    /// What keeps graphs from running on a GPU. Empty: nothing, if there is a GPU.
    std::vector<MissingLibrary> missing = {};
    /// Why no GPU can be chosen, in one sentence; empty: one can.
    std::string noGpu = {};
};
AOTSCOPE_MEMBERS(DeviceList, devices, driverVersion, missing, noGpu)

using DeviceListPtr = std::shared_ptr<const DeviceList>;

/// The error of a run on a GPU where `list` says that there is none to choose, or not that one: run.no_gpu
/// (names what is missing, and what to do). An empty message: the device is there.
[[nodiscard]] base::Result<void> checkDevice(const DeviceList& list, DeviceChoice choice);

} // namespace aotscope::session
