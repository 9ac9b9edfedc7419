#include "run/generator_seed.h"

#include "torch_headers.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace aotscope::torch {

namespace {

void seedOne(at::Generator generator, std::uint64_t seed) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
}

} // namespace

void seedGenerator(std::uint64_t seed, c10::Device device) {
    seedOne(at::detail::getDefaultCPUGenerator(), seed);
    if (!device.is_cpu()) {
        seedOne(at::globalContext().defaultGenerator(device), seed);
    }
}

at::Tensor cpuGeneratorState() {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setCpuGeneratorState(const at::Tensor& state) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

} // namespace aotscope::torch
