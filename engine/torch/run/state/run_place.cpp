#include "run/state/run_place.h"

#include "cuda/cuda_libraries.h"
#include "cuda/devices.h"
#include "dispatch/failure.h"
#include "dispatch/lost_device.h"
#include "run/state/tensor_copy.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace aotscope::torch {

namespace {

bool isLoggedOnGpu(const ir::Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](ir::NodeId id) {
        const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value);
        return meta != nullptr && meta->device && meta->device->type != "cpu" && meta->device->type != "meta";
    });
}

void require(base::Result<void> done) {
    if (!done) {
        throw RunFailure(std::move(done).error());
    }
}

/// Multiplies once, without and with a bias: cuBLAS and cuBLASLt then take their workspaces, which stay, and
/// which no graph is to be charged with.
void warmUp(c10::Device device) {
    static std::mutex mutex;
    static std::set<c10::DeviceIndex> warm;
    const std::lock_guard lock(mutex);
    if (warm.contains(device.index())) {
        return;
    }
    const c10::DeviceGuard guard(device);
    const at::Tensor some = at::ones({16, 16}, at::TensorOptions(c10::kFloat).device(device));
    (void)at::mm(some, some);
    (void)at::addmm(some[0], some, some);
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
    warm.insert(device.index());
}

} // namespace

c10::Device RunPlace::of(const std::optional<ir::Device>& logged) const {
    const bool staysOnCpu = keepsCpu && logged && logged->type == "cpu";
    return staysOnCpu ? c10::Device(c10::kCPU) : device;
}

RunPlace placeFor(session::DeviceChoice choice, const ir::Graph& graph) {
    if (!choice.isCuda()) {
        return {};
    }
    if (auto lost = lostDevice()) {
        throw RunFailure(*std::move(lost));
    }
    require(session::checkDevice(machineDevices(), choice));
    require(openCuda());
    // Before anything asks the allocator, whose devices this makes.
    at::globalContext().lazyInitDevice(c10::kCUDA);
    const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(choice.index));
    warmUp(device);
    return {device, isLoggedOnGpu(graph)};
}

at::Tensor movedTo(const at::Tensor& tensor, c10::Device device) {
    if (tensor.device() == device) {
        return tensor;
    }
    if (tensor.layout() != c10::kStrided || !tensor.has_storage()) {
        return tensor.to(device);
    }
    // A copy of the tensor alone would be dense, whatever its strides are.
    return wholeStorage(tensor).to(device).as_strided(tensor.sizes(), tensor.strides(),
                                                      tensor.storage_offset());
}

void awaitDevice(c10::Device device) {
    if (!device.is_cpu()) {
        c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
    }
}

} // namespace aotscope::torch
