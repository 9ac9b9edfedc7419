#pragma once

#include "cuda/driver.h"

#include "base/result.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

/// Kernels launched and timed through the driver. All work goes to the default stream, on which LibTorch's
/// work is queued as well unless a stream guard says otherwise: what is launched here runs after the
/// operators before it. Errors of all functions: cuda.failed (which call, and the driver's words), and
/// cuda.lost where nothing more can run on CUDA in this process.
namespace aotscope::torch {

/// How many blocks of how many threads, along x, y and z.
struct LaunchShape {
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> block{1, 1, 1};
    /// Shared memory besides what the kernel declares.
    unsigned dynamicSharedBytes = 0;
    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// The address of device memory (a tensor's data_ptr).
struct DeviceAddress {
    CudaAddress value = 0;
};
/// A kernel's parameter: its type must be the parameter's. A struct is passed as its bytes.
using KernelArgument = std::variant<DeviceAddress, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                    float, double, bool, std::vector<std::byte>>;

/// A function loaded on one GPU; unloaded with the last copy of the object.
class LoadedKernel {
public:
    /// `image`: a cubin, or PTX, which the driver compiles; `name`: the function's name in it. The error
    /// cuda.failed has the driver's log as notes.
    [[nodiscard]] static base::Result<LoadedKernel> load(const CudaDriver& driver, int device,
                                                         const std::string& image, const std::string& name);
    /// Queues the kernel; does not wait. Error, besides the others: cuda.launch_shape (a size is 0).
    [[nodiscard]] base::Result<void> launch(const LaunchShape& shape,
                                            const std::vector<KernelArgument>& arguments) const;

private:
    LoadedKernel(const CudaDriver& driver, int device) : m_driver(driver), m_device(device) {}

    CudaDriver m_driver;
    int m_device;
    std::shared_ptr<CudaModule> m_module;
    CudaFunction* m_function = nullptr;
};

/// How often something is timed.
struct TimedRepetitions {
    int warmUps = 3;
    int repeats = 100;
    /// Overwrites the L2 cache before each repetition, so that inputs come from memory.
    bool coldCache = false;
};

/// The time of each repetition in milliseconds, by a pair of events around `work`, which queues kernels or
/// calls operators. `before` restores what `work` overwrites, on the GPU's stream; it is not timed. Several
/// repetitions may be queued before the first is done. Gives up, with the times that there are, once `stop`
/// says so.
[[nodiscard]] base::Result<std::vector<double>>
timeOnDevice(const CudaDriver& driver, int device, const TimedRepetitions& repetitions,
             const std::function<base::Result<void>()>& work,
             const std::function<base::Result<void>()>& before = {}, const std::function<bool()>& stop = {});

/// What a plain copy within the device's memory reaches, in bytes read and written per second: the median of
/// copies of that many bytes. The limit that other kernels are compared with.
[[nodiscard]] base::Result<double> copyBandwidth(const CudaDriver& driver, int device, std::int64_t bytes,
                                                 int repeats = 20);

/// Waits for all work that was queued on the default stream.
[[nodiscard]] base::Result<void> awaitDevice(const CudaDriver& driver, int device);

} // namespace aotscope::torch
