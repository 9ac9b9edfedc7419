#pragma once

#include <c10/core/DeviceType.h>

/// The device that meta tensors stand for while a shape is computed. A meta tensor does not know it, but some
/// results depend on it: the attention kernel, the memory format of a convolution's backend, the dtype of
/// saved statistics. Follows torch 2.11, torch/_meta_registrations.py: device_hint.
namespace aotscope::torch {

/// The device that meta tensors stand for on this thread; the CPU while no DeviceHint lives.
[[nodiscard]] c10::DeviceType deviceHint();
[[nodiscard]] bool fakingCuda();

/// Sets, while it lives, which device the meta tensors of this thread stand for.
class DeviceHint {
public:
    explicit DeviceHint(c10::DeviceType device);
    ~DeviceHint();
    DeviceHint(const DeviceHint&) = delete;
    DeviceHint& operator=(const DeviceHint&) = delete;

private:
    c10::DeviceType m_before;
};

} // namespace aotscope::torch
