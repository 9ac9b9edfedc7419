#include "rerun/cpu_limits.h"

#include "torch_headers.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

namespace aotscope::torch {

namespace {

/// The shortest of a few repetitions, in seconds.
template<typename Work>
double shortest(Work&& work) {
    constexpr int repetitions = 4;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    return best;
}

session::DeviceLimits measure() {
    constexpr std::int64_t megabytes = 128;
    constexpr std::int64_t size = 768;
    const at::Tensor from = at::ones({megabytes << 20}, at::TensorOptions(c10::kByte));
    const at::Tensor to = at::ones({megabytes << 20}, at::TensorOptions(c10::kByte));
    const double copying = shortest([&] { to.copy_(from); });
    const at::Tensor matrix = at::ones({size, size}, at::TensorOptions(c10::kFloat));
    const double multiplying = shortest([&] { (void)at::mm(matrix, matrix); });
    session::DeviceLimits limits;
    limits.device = "this computer's CPU";
    // A copy reads each byte and writes it.
    limits.bytesPerSecond = 2.0 * static_cast<double>(megabytes << 20) / copying;
    limits.flopsPerSecond = 2.0 * static_cast<double>(size * size * size) / multiplying;
    limits.origin = "measured here with " + std::to_string(at::get_num_threads()) +
                    (at::get_num_threads() == 1 ? " thread" : " threads") + ": a copy of " +
                    std::to_string(megabytes) + " MiB, and a product of two float32 matrices of " +
                    std::to_string(size) + " by " + std::to_string(size);
    return limits;
}

} // namespace

const session::DeviceLimits& cpuLimits() {
    static const session::DeviceLimits limits = measure();
    return limits;
}

} // namespace aotscope::torch
