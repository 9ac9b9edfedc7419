#include "fake/meta/device_hint.h"

namespace aotscope::torch {

namespace {

// LibTorch's dispatcher calls the shape kernels; its signatures have no place for the device.
thread_local c10::DeviceType current = c10::DeviceType::CPU;

} // namespace

c10::DeviceType deviceHint() {
    return current;
}

bool fakingCuda() {
    return current == c10::DeviceType::CUDA;
}

DeviceHint::DeviceHint(c10::DeviceType device) : m_before(current) {
    current = device;
}

DeviceHint::~DeviceHint() {
    current = m_before;
}

} // namespace aotscope::torch
