#include "fake/cuda_stand_in.h"

#include "torch_headers.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <memory>
#include <mutex>

namespace aotscope::torch {

namespace {

class StandInGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return c10::kCUDA; }
    c10::Device exchangeDevice(c10::Device) const override { return {c10::kCUDA, 0}; }
    c10::Device getDevice() const override { return {c10::kCUDA, 0}; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::Stream getStream(c10::Device device) const override {
        return c10::Stream(c10::Stream::DEFAULT, device);
    }
    c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
    c10::Stream exchangeStream(c10::Stream stream) const override { return getStream(stream.device()); }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};

struct StandInHooks final : at::CUDAHooksInterface {
    explicit StandInHooks(at::CUDAHooksArgs) {}
    bool hasCUDA() const override { return true; }
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return 1; }
    int getNumGPUs() const override { return 1; }
    c10::DeviceIndex current_device() const override { return 0; }
};

} // namespace

void installCudaStandIn() {
    static std::once_flag once;
    std::call_once(once, [] {
        // The real library registers its hooks under the same name when it is loaded.
        if (at::CUDAHooksRegistry()->Has("CUDAHooks")) {
            return;
        }
        at::CUDAHooksRegistry()->Register(
            "CUDAHooks",
            [](at::CUDAHooksArgs args) -> std::unique_ptr<at::CUDAHooksInterface> {
                return std::make_unique<StandInHooks>(args);
            },
            // Where the real library is opened later, its hooks take the place of these.
            c10::REGISTRY_FALLBACK);
        // Registered for the life of the process, as LibTorch's own guards are.
        static const StandInGuard guard;
        c10::impl::device_guard_impl_registry[static_cast<std::size_t>(c10::kCUDA)].store(&guard);
    });
}

} // namespace aotscope::torch
