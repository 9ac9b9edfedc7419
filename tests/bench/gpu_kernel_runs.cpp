#include "kernel_runs.h"

#include "cuda/driver.h"
#include "cuda/kernel_launch.h"

#include "kernels/kernel_report.h"
#include "kernels/nvrtc.h"

#include <chrono>
#include <map>
#include <utility>

namespace aotscope::bench {

namespace {

using torch::CudaAddress;
using torch::CudaDriver;

constexpr int device = 0;
constexpr double perMillisecond = 1e-3;

/// Memory of a GPU, freed at the end of the object.
class GpuMemory {
public:
    GpuMemory(const CudaDriver& driver, CudaAddress address) : m_driver(driver), m_address(address) {}
    GpuMemory(GpuMemory&& other) noexcept
        : m_driver(other.m_driver), m_address(std::exchange(other.m_address, 0)) {}
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;
    GpuMemory& operator=(GpuMemory&&) = delete;
    ~GpuMemory() {
        if (m_address != 0) {
            (void)m_driver.free(m_address);
        }
    }
    [[nodiscard]] CudaAddress address() const { return m_address; }

private:
    CudaDriver m_driver;
    CudaAddress m_address;
};

struct Launch {
    torch::LoadedKernel kernel;
    torch::LaunchShape shape;
    std::vector<torch::KernelArgument> arguments;
};

class GpuRuns final : public KernelRuns {
public:
    GpuRuns(const CudaDriver& driver, kernels::Nvrtc nvrtc, std::string architecture)
        : m_driver(driver), m_nvrtc(std::move(nvrtc)), m_architecture(std::move(architecture)) {}

    base::Result<KernelTimes> run(const kernels::FusionPlan& plan, int repeats) override {
        const auto start = std::chrono::steady_clock::now();
        auto launches = compile(plan);
        if (!launches) {
            return std::move(launches).error();
        }
        KernelTimes times;
        times.compileSeconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::map<kernels::TensorName, GpuMemory> memory;
        if (auto made = makeTensors(plan, memory, *launches); !made) {
            return std::move(made).error();
        }
        const auto work = [&]() -> base::Result<void> {
            for (const Launch& launch : *launches) {
                if (auto launched = launch.kernel.launch(launch.shape, launch.arguments); !launched) {
                    return launched;
                }
            }
            return {};
        };
        torch::TimedRepetitions repetitions;
        repetitions.repeats = repeats;
        const auto milliseconds = torch::timeOnDevice(m_driver, device, repetitions, work);
        if (!milliseconds) {
            return milliseconds.error();
        }
        for (const double time : *milliseconds) {
            times.seconds.push_back(time * perMillisecond);
        }
        return times;
    }

    base::Result<double> copyBandwidth(std::int64_t bytes) override {
        return torch::copyBandwidth(m_driver, device, bytes);
    }

private:
    base::Result<std::vector<Launch>> compile(const kernels::FusionPlan& plan) {
        std::vector<kernels::CudaRequest> requests;
        for (const kernels::FusionGroup& group : plan.groups) {
            requests.push_back(kernels::cudaRequest(group.kernel, m_architecture));
        }
        const auto builds = m_nvrtc.compile(requests);
        if (!builds) {
            return builds.error();
        }
        std::vector<Launch> launches;
        for (std::size_t i = 0; i < builds->size(); ++i) {
            const kernels::FusedKernel& kernel = plan.groups[i].kernel;
            if (!(*builds)[i].compiled()) {
                return kernels::compileError((*builds)[i].messages);
            }
            auto loaded = torch::LoadedKernel::load(m_driver, device, (*builds)[i].cubin, kernel.name);
            if (!loaded) {
                return std::move(loaded).error();
            }
            torch::LaunchShape shape{{kernel.launch.grid, 1, 1}, {kernel.launch.block, 1, 1}, 0};
            shape.dynamicSharedBytes = static_cast<unsigned>(kernel.launch.dynamicSharedBytes);
            launches.push_back({std::move(loaded).value(), shape, {}});
        }
        return launches;
    }

    base::Result<void> makeTensors(const kernels::FusionPlan& plan,
                                   std::map<kernels::TensorName, GpuMemory>& memory,
                                   std::vector<Launch>& launches) {
        if (auto used = torch::useDevice(m_driver, device); !used) {
            return used;
        }
        std::map<kernels::TensorName, std::size_t> sizes;
        for (const kernels::FusionGroup& group : plan.groups) {
            for (const kernels::KernelParameter& parameter : group.kernel.parameters) {
                sizes[parameter.tensor] = std::max(sizes[parameter.tensor], bytesOf(parameter));
            }
        }
        for (const auto& [name, bytes] : sizes) {
            CudaAddress address = 0;
            if (auto made = m_driver.check(m_driver.allocate(&address, bytes), "memory was reserved");
                !made) {
                return made;
            }
            memory.emplace(name, GpuMemory(m_driver, address));
            constexpr unsigned char smallNumbers = 0x3c;
            const int filled = m_driver.fill(address, smallNumbers, bytes, nullptr);
            if (auto checked = m_driver.check(filled, "memory was filled"); !checked) {
                return checked;
            }
        }
        for (std::size_t i = 0; i < launches.size(); ++i) {
            for (const kernels::KernelParameter& parameter : plan.groups[i].kernel.parameters) {
                launches[i].arguments.emplace_back(
                    torch::DeviceAddress{memory.at(parameter.tensor).address()});
            }
        }
        return {};
    }

    CudaDriver m_driver;
    kernels::Nvrtc m_nvrtc;
    std::string m_architecture;
};

} // namespace

base::Result<std::unique_ptr<KernelRuns>> gpuRuns() {
    const auto& driver = CudaDriver::machine();
    if (!driver) {
        return driver.error();
    }
    // Of the driver's enumeration CUdevice_attribute.
    constexpr int attributeMajor = 75;
    constexpr int attributeMinor = 76;
    int major = 0;
    int minor = 0;
    for (const auto& [value, attribute] :
         {std::pair{&major, attributeMajor}, std::pair{&minor, attributeMinor}}) {
        const int asked = driver->deviceAttribute(value, attribute, device);
        if (auto checked = driver->check(asked, "the GPU was asked what it can do"); !checked) {
            return std::move(checked).error();
        }
    }
    auto nvrtc = kernels::Nvrtc::find();
    if (!nvrtc) {
        return std::move(nvrtc).error();
    }
    return std::unique_ptr<KernelRuns>(std::make_unique<GpuRuns>(
        *driver, *std::move(nvrtc), "sm_" + std::to_string(major) + std::to_string(minor)));
}

} // namespace aotscope::bench
