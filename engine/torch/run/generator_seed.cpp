#include "run/generator_seed.h"

#include "torch_headers.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace aotscope::torch {

void seedGenerator(std::uint64_t seed) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
}

} // namespace aotscope::torch
