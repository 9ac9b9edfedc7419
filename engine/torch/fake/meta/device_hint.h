#pragma once

#include "dispatch/kernel_context.h"

/// The device that meta tensors stand for while a shape is computed. A meta tensor does not know it, but some
/// results depend on it: the attention kernel, the memory format of a convolution's backend, the dtype of
/// saved statistics. Follows torch 2.11, torch/_meta_registrations.py: device_hint.
namespace aotscope::torch {

/// Whether meta tensors stand for CUDA's; not while no DeviceHint lives.
[[nodiscard]] inline bool fakingCuda() {
    return KernelContext::current().device == c10::DeviceType::CUDA;
}

/// Sets, while it lives, which device the meta tensors of this thread stand for.
class DeviceHint {
public:
    explicit DeviceHint(c10::DeviceType device) : m_scope(&KernelContext::device, device) {}

private:
    KernelScope m_scope;
};

} // namespace aotscope::torch
