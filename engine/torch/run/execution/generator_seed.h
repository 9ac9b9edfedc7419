#pragma once

#include "torch_headers.h"

#include <cstdint>

namespace aotscope::torch {

/// Seeds the default generators of the process for the CPU and for a device, so that random operators are
/// reproducible.
void seedGenerator(std::uint64_t seed, c10::Device device = c10::kCPU);

/// The state of the CPU's default generator.
[[nodiscard]] at::Tensor cpuGeneratorState();
void setCpuGeneratorState(const at::Tensor& state);

/// The states of the process's default generators, for the CPU and, where CUDA is open, for the current GPU,
/// as a tensor of bytes.
[[nodiscard]] at::Tensor generatorState();
void setGeneratorState(const at::Tensor& state);

} // namespace aotscope::torch
