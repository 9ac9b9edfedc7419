#pragma once

#include <c10/core/DeviceType.h>

/// Which device a meta tensor stands for while a shape is computed.
///
/// A meta tensor says nothing of the device it stands for, but some results depend on it: which attention
/// kernel, which convolution backend's memory format, the dtype of saved statistics. PyTorch's Python shape
/// functions ask the fake tensor (`device_hint`); ours ask here.
namespace aotscope::torch {

/// The device being faked on this thread; the CPU where nobody said otherwise.
[[nodiscard]] c10::DeviceType deviceHint();
[[nodiscard]] bool fakingCuda();

/// Says for its lifetime which device the meta tensors of this thread stand for.
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
