#include "run/replacements/offload.h"

#include "ir/operators/operator.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <map>
#include <mutex>

namespace aotscope::torch {

namespace {

/// One per GPU, so that a copy back comes after the copy away.
c10::Stream sideStream(c10::Device device) {
    static std::mutex mutex;
    static std::map<c10::DeviceIndex, c10::Stream> streams;
    const std::lock_guard lock(mutex);
    const auto known = streams.find(device.index());
    return known != streams.end()
               ? known->second
               : streams
                     .emplace(device.index(),
                              c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device))
                     .first->second;
}

/// What is queued on `later` from now on waits for what is on `earlier` now.
void order(const c10::Stream& earlier, const c10::Stream& later) {
    c10::Event event(earlier.device_type());
    event.record(earlier);
    event.block(later);
}

at::Tensor sameLayout(const at::Tensor& tensor, const at::TensorOptions& options) {
    return tensor.is_non_overlapping_and_dense()
               ? at::empty_strided(tensor.sizes(), tensor.strides(), options)
               : at::empty(tensor.sizes(), options);
}

/// Copies on the side stream; `gpu` is where one of the two tensors lies.
void copyBeside(const at::Tensor& to, const at::Tensor& from, c10::Device gpu) {
    const c10::Stream computing = c10::impl::VirtualGuardImpl(gpu.type()).getStream(gpu);
    const c10::Stream side = sideStream(gpu);
    // The source may still be computed, and the target's memory still be used by work before.
    order(computing, side);
    const c10::StreamGuard guard(side);
    to.copy_(from, /*non_blocking=*/true);
    if (to.device() == gpu) {
        order(side, computing);
    } else {
        // Its memory must not be handed out again before the copy is done.
        c10::getDeviceAllocator(gpu.type())->recordStream(from.storage().data_ptr(), side);
    }
}

/// The device argument of a call that changes nothing else.
std::optional<c10::Device> deviceAlone(const at::Tensor& tensor, const NamedValues& kwargs) {
    std::optional<c10::Device> device;
    for (const auto& [name, value] : kwargs) {
        if (name == "device" && value.isDevice()) {
            device = value.toDevice();
        } else if (name == "dtype" && value.isInt()) {
            if (value.toInt() != static_cast<std::int64_t>(tensor.scalar_type())) {
                return std::nullopt;
            }
        } else if (!value.isNone() && !value.isBool() && name != "layout") {
            return std::nullopt;
        }
    }
    return device;
}

} // namespace

std::optional<at::Tensor> offloaded(std::string_view target, const std::vector<c10::IValue>& args,
                                    const NamedValues& kwargs) {
    if (args.size() != 1 || !args.front().isTensor() || !ir::Operator(target).is(ir::Trait::Converts)) {
        return std::nullopt;
    }
    const at::Tensor& tensor = args.front().toTensor();
    if (!tensor.defined() || tensor.layout() != c10::kStrided) {
        return std::nullopt;
    }
    const auto device = deviceAlone(tensor, kwargs);
    if (!device || device->is_cpu() == tensor.device().is_cpu()) {
        return std::nullopt;
    }
    if (device->is_cpu()) {
        at::Tensor pinned =
            sameLayout(tensor, tensor.options().device(c10::kCPU).pinned_memory(true).requires_grad(false));
        copyBeside(pinned, tensor, tensor.device());
        return pinned;
    }
    at::Tensor back = sameLayout(tensor, tensor.options().device(*device).pinned_memory(false));
    copyBeside(back, tensor, *device);
    return back;
}

} // namespace aotscope::torch
