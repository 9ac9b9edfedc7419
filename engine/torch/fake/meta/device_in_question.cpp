#include "fake/meta/device_in_question.h"

namespace aotscope::torch {

namespace {

// Shape kernels are called by LibTorch's dispatcher, whose signatures leave no other way to tell them.
thread_local c10::DeviceType current = c10::DeviceType::CPU;

} // namespace

c10::DeviceType deviceInQuestion() {
    return current;
}

bool fakingCuda() {
    return current == c10::DeviceType::CUDA;
}

DeviceInQuestion::DeviceInQuestion(c10::DeviceType device) : m_before(current) {
    current = device;
}

DeviceInQuestion::~DeviceInQuestion() {
    current = m_before;
}

} // namespace aotscope::torch
