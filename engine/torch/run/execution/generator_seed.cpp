#include "run/execution/generator_seed.h"

#include "base/mapped.h"
#include "torch_headers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/cat.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#include <vector>

namespace aotscope::torch {

namespace {

void seedOne(at::Generator generator, std::uint64_t seed) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
}

at::Tensor stateOfGenerator(at::Generator generator) {
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setState(at::Generator generator, const at::Tensor& state) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

/// The CPU's first.
std::vector<at::Generator> generators() {
    std::vector<at::Generator> all{at::detail::getDefaultCPUGenerator()};
    // Not so where CUDA only has a stand-in for fake tensors.
    if (at::detail::getCUDAHooks().hasCUDART()) {
        all.push_back(
            at::globalContext().defaultGenerator(c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice()));
    }
    return all;
}

} // namespace

void seedGenerator(std::uint64_t seed, c10::Device device) {
    seedOne(at::detail::getDefaultCPUGenerator(), seed);
    if (!device.is_cpu()) {
        seedOne(at::globalContext().defaultGenerator(device), seed);
    }
}

at::Tensor cpuGeneratorState() {
    return stateOfGenerator(at::detail::getDefaultCPUGenerator());
}

void setCpuGeneratorState(const at::Tensor& state) {
    setState(at::detail::getDefaultCPUGenerator(), state);
}

at::Tensor generatorState() {
    const std::vector<at::Tensor> states = base::mapped(generators(), stateOfGenerator);
    return states.size() == 1 ? states.front() : at::cat(states);
}

void setGeneratorState(const at::Tensor& state) {
    std::int64_t begin = 0;
    for (const at::Generator& generator : generators()) {
        const std::int64_t bytes = stateOfGenerator(generator).numel();
        setState(generator, state.narrow(0, begin, bytes).clone());
        begin += bytes;
    }
}

} // namespace aotscope::torch
