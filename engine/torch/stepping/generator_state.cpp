#include "stepping/generator_state.h"

#include "torch_headers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/cat.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <mutex>
#include <vector>

namespace aotscope::torch {

namespace {

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

at::Tensor stateOf(const at::Generator& generator) {
    at::Generator locked = generator;
    const std::scoped_lock lock(locked.mutex());
    return locked.get_state();
}

} // namespace

at::Tensor generatorState() {
    std::vector<at::Tensor> states;
    for (const at::Generator& generator : generators()) {
        states.push_back(stateOf(generator));
    }
    return states.size() == 1 ? states.front() : at::cat(states);
}

void setGeneratorState(const at::Tensor& state) {
    std::int64_t begin = 0;
    for (at::Generator generator : generators()) {
        const std::int64_t bytes = stateOf(generator).numel();
        const std::scoped_lock lock(generator.mutex());
        generator.set_state(state.narrow(0, begin, bytes).clone());
        begin += bytes;
    }
}

} // namespace aotscope::torch
