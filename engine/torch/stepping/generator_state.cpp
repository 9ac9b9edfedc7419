#include "stepping/generator_state.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace aotscope::torch {

at::Tensor generatorState() {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setGeneratorState(const at::Tensor& state) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

} // namespace aotscope::torch
